import { CFB } from "@e965/xlsx";

/** A paragraph of an old Word file. */
export interface DocParagraph {
  text: string;
  /** `\r`, or `\x07` at the end of a cell or row. */
  end?: string;
  style?: number;
  /** Modifiers of its properties, as bytes. */
  properties?: number[];
}

/** Letters of an old Word file, from their first to the one after the last, with modifiers as bytes. */
interface DocLetters {
  start: number;
  end: number;
  properties: number[];
}

interface DocOptions {
  /** Texts of the stories behind the body, by the position of their length in the header. */
  stories?: Record<number, string>;
  letters?: DocLetters[];
  /** Structures of the table stream by their number. */
  structures?: Record<number, Buffer>;
  flags?: number;
  version?: number;
}

const TEXT_AT = 2048;
const PAGE = 512;

export const u16 = (...numbers: number[]): Buffer => {
  const bytes = Buffer.alloc(numbers.length * 2);
  for (const [at, number] of numbers.entries()) bytes.writeUInt16LE(number, at * 2);
  return bytes;
};
export const u32 = (...numbers: number[]): Buffer => {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [at, number] of numbers.entries()) bytes.writeUInt32LE(number >>> 0, at * 4);
  return bytes;
};

/** A page of runs; each run's properties are written from its end. */
function page(runs: { start: number; end: number; bytes: Buffer }[], entryLength: number): Buffer {
  const bytes = Buffer.alloc(PAGE);
  bytes[PAGE - 1] = runs.length;
  let free = PAGE - 2;
  for (const [at, run] of runs.entries()) {
    bytes.writeUInt32LE(run.start, at * 4);
    bytes.writeUInt32LE(run.end, at * 4 + 4);
    free = (free - run.bytes.length) & ~1;
    run.bytes.copy(bytes, free);
    bytes[(runs.length + 1) * 4 + at * entryLength] = run.bytes.length > 0 ? free / 2 : 0;
  }
  return bytes;
}

function paragraphBytes({ style = 0, properties = [] }: DocParagraph): Buffer {
  const whole = Buffer.concat([u16(style), Buffer.from(properties)]);
  const padded = whole.length % 2 === 0 ? Buffer.concat([whole, Buffer.alloc(1)]) : whole;
  return Buffer.concat([Buffer.from([(padded.length + 1) / 2]), padded]);
}

/** An old Word file (97 to 2003) of up to thirty paragraphs. */
export function makeDoc(paragraphs: readonly DocParagraph[], options: DocOptions = {}): Uint8Array {
  const { stories = {}, letters = [], structures = {}, flags = 0, version = 0xc1 } = options;
  const body = paragraphs.map(({ text, end = "\r" }) => text + end).join("");
  const text = body + Object.values(stories).join("");
  const at = (character: number) => TEXT_AT + character * 2;
  let character = 0;
  const runs = paragraphs.map((paragraph) => {
    const start = character;
    character += paragraph.text.length + 1;
    return { start: at(start), end: at(character), bytes: paragraphBytes(paragraph) };
  });
  const spans = letters.map(({ start, end, properties }) => ({
    start: at(start),
    end: at(end),
    bytes: Buffer.from([properties.length, ...properties]),
  }));
  const main = Buffer.concat([Buffer.alloc(TEXT_AT), Buffer.from(text, "utf16le")]);
  page(spans, 1).copy(main, PAGE * 2);
  page(runs, 13).copy(main, PAGE * 3);
  main.writeUInt16LE(0xa5ec, 0);
  main.writeUInt16LE(version, 2);
  main.writeUInt16LE(flags, 0x0a);
  main.writeUInt32LE(body.length, 0x4c);
  for (const [place, story] of Object.entries(stories)) main.writeUInt32LE(story.length, Number(place));
  const pieces = Buffer.concat([u32(0, text.length), u16(0), u32(TEXT_AT), u16(0)]);
  const all: Record<number, Buffer> = {
    12: u32(at(0), at(text.length), 2),
    13: u32(at(0), at(text.length), 3),
    33: Buffer.concat([Buffer.from([2]), u32(pieces.length), pieces]),
    ...structures,
  };
  let table = Buffer.alloc(4);
  for (const [number, bytes] of Object.entries(all)) {
    main.writeUInt32LE(table.length, 0x9a + Number(number) * 8);
    main.writeUInt32LE(bytes.length, 0x9a + Number(number) * 8 + 4);
    table = Buffer.concat([table, bytes]);
  }
  return packDoc({ WordDocument: main, "0Table": table });
}

/** Packs streams into a compound file. */
export function packDoc(streams: Record<string, Buffer>): Uint8Array {
  const file = CFB.utils.cfb_new();
  for (const [name, bytes] of Object.entries(streams)) CFB.utils.cfb_add(file, name, bytes);
  return new Uint8Array(CFB.write(file, { type: "buffer" }) as Buffer);
}
