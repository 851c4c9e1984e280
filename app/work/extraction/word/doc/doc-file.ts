import { AppError } from "~/core/errors";
import type { CompoundFile } from "../../compound-file";
import { MAX_TEXT } from "../../document-builder";
import { PASSWORD_PROTECTED } from "../../format";

/** Positions in the file information block at the start of a Word file, as [MS-DOC] has them. */
const FLAGS = 0x0a;
const IS_ENCRYPTED = 0x0100;
const IS_TABLE_1 = 0x0200;
/** Version of Word 97; older files have another form. */
const WORD_97 = 0xc1;
/** The first pair of position and length of a structure in the table stream. */
const PAIRS = 0x9a;

/** Structures by the number of their pair. */
export const PAIR = {
  styles: 1,
  footnoteReferences: 2,
  footnoteTexts: 3,
  commentReferences: 4,
  commentTexts: 5,
  headers: 11,
  characters: 12,
  paragraphs: 13,
  fonts: 15,
  pieces: 33,
  commentAuthors: 36,
  endnoteReferences: 46,
  endnoteTexts: 47,
  lists: 73,
  listOverrides: 74,
} as const;

/** Positions of the lengths of a document's stories, in the order in which their texts follow each other. */
const STORIES = {
  body: 0x4c,
  footnotes: 0x50,
  headers: 0x54,
  comments: 0x5c,
  endnotes: 0x60,
  textBoxes: 0x64,
  headerTextBoxes: 0x68,
} as const;
export type StoryName = keyof typeof STORIES;

/** Characters of a file, half of which may be text of fields' codes. */
const MAX_CHARACTERS = MAX_TEXT * 2;

export interface Piece {
  /** First character, and the one after the last. */
  start: number;
  end: number;
  /** Position in the stream, in bytes. */
  at: number;
  /** Bytes per character. */
  width: number;
}

/** Pieces of text, notes, pages of properties: more than in any file that was written by hand. */
const MAX_ITEMS = 200_000;

/** Letters of windows-1252 from 0x80 on; others are those of Latin-1. */
const WINDOWS = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

const fromWindows = (text: string) =>
  text.replace(/[\x80-\x9f]/g, (letter) => WINDOWS[letter.charCodeAt(0) - 0x80] ?? letter);

/** A Word file of the versions 97 to 2003: its characters and structures. */
export class DocFile {
  readonly main: Buffer;
  readonly table: Buffer;
  readonly text: string;
  readonly #pieces: Piece[];

  /** @throws AppError `invalid` if it is encrypted or too old; any other error means that it is damaged */
  constructor(file: CompoundFile) {
    this.main = file.read("WordDocument");
    const flags = this.main.readUInt16LE(FLAGS);
    if (this.main.readUInt16LE(2) < WORD_97) {
      throw new AppError("invalid", "This Word file is older than Word 97. Save it as .docx and try again.");
    }
    if ((flags & IS_ENCRYPTED) !== 0) {
      throw new AppError("invalid", PASSWORD_PROTECTED);
    }
    this.table = file.read((flags & IS_TABLE_1) !== 0 ? "1Table" : "0Table");
    this.#pieces = this.#readPieces();
    this.text = this.#pieces
      .map(({ start, end, at, width }) => {
        const bytes = this.main.subarray(at, at + (end - start) * width);
        const text = width === 2 ? bytes.toString("utf16le") : fromWindows(bytes.toString("latin1"));
        return text.padEnd(end - start, "\0");
      })
      .join("");
  }

  /** A structure of the table stream. */
  structure(pair: number): Buffer {
    const [at, length] = [PAIRS + pair * 8, PAIRS + pair * 8 + 4];
    if (length + 4 > this.main.length) return Buffer.alloc(0);
    const start = this.main.readUInt32LE(at);
    return this.table.subarray(start, start + this.main.readUInt32LE(length));
  }

  /** First character of a story and the one after its last. */
  story(name: StoryName): [start: number, end: number] {
    let start = 0;
    for (const [key, at] of Object.entries(STORIES)) {
      const end = start + this.main.readUInt32LE(at);
      if (key === name) return [Math.min(start, this.text.length), Math.min(end, this.text.length)];
      start = end;
    }
    return [0, 0];
  }

  /** The piece that has a character. */
  pieceAt(character: number): Piece {
    let [low, high] = [0, this.#pieces.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#pieces[middle]?.start ?? 0) <= character) low = middle;
      else high = middle - 1;
    }
    return this.#pieces[low] ?? { start: 0, end: 0, at: 0, width: 1 };
  }

  #readPieces(): Piece[] {
    const bytes = this.structure(PAIR.pieces);
    let at = 0;
    // Properties of changed paragraphs come first.
    while (bytes[at] === 1) at += 3 + bytes.readUInt16LE(at + 1);
    if (bytes[at] !== 2) throw new Error("no piece table");
    const table = bytes.subarray(at + 5, at + 5 + bytes.readUInt32LE(at + 1));
    const count = Math.floor((table.length - 4) / 12);
    if (count > MAX_ITEMS) throw new Error("too many pieces");
    const pieces: Piece[] = [];
    for (let piece = 0; piece < count; piece++) {
      const [start, next] = [table.readUInt32LE(piece * 4), table.readUInt32LE(piece * 4 + 4)];
      if (start !== (pieces.at(-1)?.end ?? 0) || next < start) throw new Error("pieces out of order");
      const position = table.readUInt32LE((count + 1) * 4 + piece * 8 + 2);
      const isNarrow = (position & 0x40000000) !== 0;
      const own = isNarrow ? (position & 0x3fffffff) / 2 : position;
      const end = Math.min(next, MAX_CHARACTERS);
      pieces.push({ start, end, at: own, width: isNarrow ? 1 : 2 });
      if (end < next) break;
    }
    return pieces;
  }
}

/** Reads a list of positions with data behind it (`PLC`). */
export function readPlc(bytes: Buffer, dataLength: number): { positions: number[]; data: Buffer[] } {
  const all = Math.max(0, Math.floor((bytes.length - 4) / (4 + dataLength)));
  const count = Math.min(MAX_ITEMS, all);
  const positions: number[] = [];
  const data: Buffer[] = [];
  if (bytes.length < 4) return { positions, data };
  for (let at = 0; at <= count; at++) positions.push(bytes.readUInt32LE(at * 4));
  const start = (all + 1) * 4;
  for (let at = 0; at < count; at++)
    data.push(bytes.subarray(start + at * dataLength, start + (at + 1) * dataLength));
  return { positions, data };
}
