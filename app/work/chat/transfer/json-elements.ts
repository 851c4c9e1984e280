import { z } from "zod";

/** Why a part of the file is skipped. */
const Refusal = z.enum(["too-large", "too-deep", "too-many-values", "not-utf8"]);
type Refusal = z.infer<typeof Refusal>;

/** An array element, or the single object. */
export const JsonElement = z.union([z.object({ text: z.string() }), z.object({ refusal: Refusal })]);
export type JsonElement = z.infer<typeof JsonElement>;

/** The rest of the file is unreadable. */
export class JsonFileError extends Error {}

interface Limits {
  /** Of an array's element. */
  maxBytes: number;
  /** Of a file that is a single object, which may have all of its conversations. */
  maxObjectBytes: number;
  maxDepth: number;
  /** Of an element: parsed ones take many times their bytes. */
  maxValues: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const opens = (byte: number) => byte === 0x7b || byte === 0x5b;
const closes = (byte: number) => byte === 0x7d || byte === 0x5d;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Bytes of one element, up to a limit. */
class Collected {
  #pieces: Uint8Array[] = [];
  #size = 0;
  refusal: Refusal | undefined;

  constructor(private readonly maxBytes: number) {}

  add(piece: Uint8Array): void {
    this.#size += piece.byteLength;
    if (this.#size > this.maxBytes) this.refusal ??= "too-large";
    if (this.refusal) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  take(): JsonElement {
    if (this.refusal) return { refusal: this.refusal };
    try {
      return { text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(this.#pieces)) };
    } catch {
      return { refusal: "not-utf8" };
    }
  }
}

/**
 * Streams the elements of a JSON array, or a single object, without loading the file; elements aren't validated.
 * @throws JsonFileError for other content and truncated files
 */
export async function* readElements(
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes, maxObjectBytes, maxDepth, maxValues }: Limits,
): AsyncGenerator<JsonElement> {
  let isArray: boolean | undefined;
  let skipped = 0;
  let depth = 0;
  let values = 0;
  let isText = false;
  let isEscaped = false;
  let current: Collected | undefined;
  let isOver = false;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (current) {
        if (isText) {
          if (isEscaped) isEscaped = false;
          else if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) isText = false;
        } else if (byte === QUOTE) isText = true;
        else if (opens(byte)) {
          depth++;
          if (depth > maxDepth) current.refusal ??= "too-deep";
          if (++values > maxValues) current.refusal ??= "too-many-values";
        } else if (byte === COMMA) {
          if (++values > maxValues) current.refusal ??= "too-many-values";
        } else if (closes(byte) && --depth === 0) {
          current.add(chunk.subarray(from, at + 1));
          yield current.take();
          current = undefined;
          if (!isArray) isOver = true;
        }
      } else if (isSpace(byte) || (skipped < 3 && byte === BYTE_ORDER_MARK[skipped])) skipped++;
      else if (isOver) throw new JsonFileError("The file has more content after its end.");
      else if (isArray === undefined && byte === OPEN_LIST) isArray = true;
      else if (byte === OPEN_OBJECT) {
        isArray ??= false;
        current = new Collected(isArray ? maxBytes : maxObjectBytes);
        depth = 1;
        values = 0;
        from = at;
      } else if (isArray && byte === COMMA) skipped = 3;
      else if (isArray && closes(byte)) isOver = true;
      else throw new JsonFileError("The file is not a JSON export of conversations.");
    }
    current?.add(chunk.subarray(from));
  }
  if (current || (isArray && !isOver)) throw new JsonFileError("The file ends too early.");
  if (isArray === undefined) throw new JsonFileError("The file is empty.");
}
