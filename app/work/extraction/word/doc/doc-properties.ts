import { type DocFile, PAIR, readPlc } from "./doc-file";

const PAGE = 512;
/** Modifiers of properties, as [MS-DOC] numbers them. */
const DELETED = 0x0800;
const HIDDEN = 0x083c;
const SYMBOL = 0x6a09;
const ROW_END = 0x2417;
const IN_TABLE = 0x2416;
const OUTLINE = 0x2640;
const LIST_LEVEL = 0x260a;
const LIST = 0x460b;
const TABLE_DEFINITION = 0xd608;

/** Length of the operand by the upper three bits; 6 has its length before it. */
const LENGTHS = [1, 1, 2, 4, 2, 2, 0, 3];

function* modifiers(bytes: Buffer): Generator<[code: number, operand: Buffer]> {
  for (let at = 0; at + 2 < bytes.length; ) {
    const code = bytes.readUInt16LE(at);
    at += 2;
    let length = LENGTHS[code >> 13] ?? 0;
    if (code === TABLE_DEFINITION) length = at + 2 <= bytes.length ? bytes.readUInt16LE(at) + 1 : 1;
    else if (code >> 13 === 6) length = (bytes[at] ?? 0) + 1;
    yield [code, bytes.subarray(at, at + length)];
    at += length;
  }
}

/** Letters that aren't shown as they are. */
export interface Letters {
  start: number;
  end: number;
  isDeleted: boolean;
  isHidden: boolean;
  symbol: { font: number; code: number } | undefined;
}

/** Outline level, list and level in it, which styles have as well. */
export interface Numbered {
  outline: number | undefined;
  list: number | undefined;
  level: number | undefined;
}

export interface ParagraphProperties extends Numbered {
  start: number;
  end: number;
  style: number;
  inTable: boolean;
  isRowEnd: boolean;
}

export function readNumbered(bytes: Buffer, into: Numbered): void {
  for (const [code, operand] of modifiers(bytes)) {
    if (code === OUTLINE) into.outline = operand[0];
    else if (code === LIST_LEVEL) into.level = operand[0];
    else if (code === LIST && operand.length === 2) into.list = operand.readUInt16LE(0);
  }
}

/** Reads the pages of formatted runs; `read` gets what stands before each run's properties. */
function readPages<Run>(
  file: DocFile,
  pair: number,
  entryLength: number,
  read: (page: Buffer, entry: number, start: number, end: number) => Run | undefined,
): Run[] {
  const runs: Run[] = [];
  const { data } = readPlc(file.structure(pair), 4);
  // Each page is used once; forged tables repeat one.
  const numbers = new Set(data.map((item) => item.readUInt32LE(0)));
  for (const number of numbers) {
    const page = file.main.subarray(number * PAGE, (number + 1) * PAGE);
    if (page.length < PAGE) continue;
    const count = page[PAGE - 1] ?? 0;
    for (let at = 0; at < count; at++) {
      const entry = (count + 1) * 4 + at * entryLength;
      if (entry + entryLength > PAGE) break;
      const run = read(page, page[entry] ?? 0, page.readUInt32LE(at * 4), page.readUInt32LE(at * 4 + 4));
      if (run) runs.push(run);
    }
  }
  return runs;
}

const isOn = (operand: Buffer) => operand[0] === 1 || operand[0] === 0x81;

function readLetters(file: DocFile): Letters[] {
  return readPages(file, PAIR.characters, 1, (page, entry, start, end) => {
    if (entry === 0) return undefined;
    const length = page[entry * 2] ?? 0;
    const letters: Letters = { start, end, isDeleted: false, isHidden: false, symbol: undefined };
    for (const [code, operand] of modifiers(page.subarray(entry * 2 + 1, entry * 2 + 1 + length))) {
      if (code === DELETED) letters.isDeleted = isOn(operand);
      else if (code === HIDDEN) letters.isHidden = isOn(operand);
      else if (code === SYMBOL && operand.length === 4) {
        letters.symbol = { font: operand.readUInt16LE(0), code: operand.readUInt16LE(2) };
      }
    }
    return letters.isDeleted || letters.isHidden || letters.symbol ? letters : undefined;
  });
}

function readParagraphs(file: DocFile): ParagraphProperties[] {
  return readPages(file, PAIR.paragraphs, 13, (page, entry, start, end) => {
    const at = entry * 2;
    const count = page[at] ?? 0;
    const from = count === 0 ? at + 2 : at + 1;
    const length = count === 0 ? (page[at + 1] ?? 0) * 2 : count * 2 - 1;
    const bytes = entry === 0 ? Buffer.alloc(2) : page.subarray(from, from + length);
    const paragraph: ParagraphProperties = {
      start,
      end,
      style: bytes.length >= 2 ? bytes.readUInt16LE(0) : 0,
      inTable: false,
      isRowEnd: false,
      outline: undefined,
      list: undefined,
      level: undefined,
    };
    for (const [code, operand] of modifiers(bytes.subarray(2))) {
      if (code === IN_TABLE) paragraph.inTable = isOn(operand);
      else if (code === ROW_END) paragraph.isRowEnd = isOn(operand);
    }
    readNumbered(bytes.subarray(2), paragraph);
    return paragraph;
  });
}

/** Finds the run that a position of the stream is in. */
class Runs<Run extends { start: number; end: number }> {
  readonly #runs: Run[];

  constructor(runs: Run[]) {
    this.#runs = runs.sort((one, other) => one.start - other.start);
  }

  /** @returns the run, if any, and the position up to which that is so */
  at(position: number): { run: Run | undefined; end: number } {
    let [low, high] = [0, this.#runs.length];
    // The first run that starts behind the position.
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#runs[middle]?.start ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    const run = this.#runs[low - 1];
    if (run && position < run.end) return { run, end: run.end };
    return { run: undefined, end: this.#runs[low]?.start ?? Number.POSITIVE_INFINITY };
  }
}

/** Properties of a file's letters and paragraphs, by position in the stream. */
export class DocProperties {
  readonly letters: Runs<Letters>;
  readonly paragraphs: Runs<ParagraphProperties>;
  readonly #fonts: string[];

  constructor(file: DocFile) {
    this.letters = new Runs(readLetters(file));
    this.paragraphs = new Runs(readParagraphs(file));
    this.#fonts = readFonts(file.structure(PAIR.fonts));
  }

  fontOf(number: number): string {
    return this.#fonts[number] ?? "";
  }
}

/** Bytes before a font's name. */
const FONT_HEAD = 39;

function readFonts(bytes: Buffer): string[] {
  const fonts: string[] = [];
  for (let at = 4; at < bytes.length; ) {
    const length = (bytes[at] ?? 0) + 1;
    const name = bytes.toString("utf16le", at + 1 + FONT_HEAD, at + length);
    fonts.push(name.split("\0")[0] ?? "");
    at += length;
  }
  return fonts;
}
