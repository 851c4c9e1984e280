import { AppError } from "./errors";
import { parseWellFormed } from "./well-formed";

const MAX_DEPTH = 64;
/** Parsed values take many times their bytes and are copied between threads. */
const MAX_VALUES = 20_000;

/** For lists from configured servers: OpenRouter's models have about 30,000. */
export const MAX_LIST_VALUES = 200_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** Index of the string's closing quotation mark, or the text's length. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}

/**
 * Checks depth and size before the recursive parser runs.
 * @throws AppError `invalid`
 */
export function assertBounds(text: string, maxValues: number): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) values++;
    else if (code === 0x7b || code === 0x5b) {
      values++;
      if (++depth > MAX_DEPTH)
        throw new AppError("invalid", `The JSON nests deeper than ${MAX_DEPTH} levels.`);
    } else if (code === 0x7d || code === 0x5d) depth--;
    if (values > maxValues) throw new AppError("invalid", `The JSON contains more than ${maxValues} values.`);
  }
}

/**
 * Makes strings well formed.
 * @throws AppError `invalid` for malformed JSON, more than 64 levels or too many values
 */
export function parseJson(text: string, maxValues = MAX_VALUES): unknown {
  assertBounds(text, maxValues);
  try {
    return parseWellFormed(text);
  } catch (error) {
    throw new AppError("invalid", "The body is not valid JSON.", { cause: error });
  }
}

/** @throws AppError as `parseJson`; `invalid` for malformed UTF-8 */
export function decodeJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AppError("invalid", "The body is not valid UTF-8.", { cause: error });
  }
  return parseJson(text);
}
