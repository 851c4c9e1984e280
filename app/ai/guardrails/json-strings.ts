import { parseWellFormed } from "~/core/well-formed";

/** A string of a JSON text, or a number as long as a card's. */
interface JsonString {
  /** Without its escapes. */
  value: string;
  /** Its place in the JSON, with the quotes. */
  start: number;
  end: number;
}

/** A card's number in JSON without quotes. */
const LONG_NUMBER = /(?<![\d.eE+-])\d{13,19}(?![\d.eE])/g;
/** In characters; a longer text is read as it stands, since parsing it would hold the event loop. */
const MAX_LENGTH = 300_000;

function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (json[at - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
  return json.length;
}

function isObjectOrList(text: string): boolean {
  if (text.length > MAX_LENGTH || !/^\s{0,100}[{[]/.test(text)) return false;
  try {
    parseWellFormed(text);
    return true;
  } catch {
    return false;
  }
}

/** The strings of a text that is a JSON object or list, names among them; undefined of other texts. */
export function stringsOfJson(json: string): JsonString[] | undefined {
  if (!isObjectOrList(json)) return undefined;
  const strings: JsonString[] = [];
  for (let from = 0; from < json.length; ) {
    const quote = json.indexOf('"', from);
    const gapEnd = quote < 0 ? json.length : quote;
    for (const { 0: value, index } of json.slice(from, gapEnd).matchAll(LONG_NUMBER))
      strings.push({ value, start: from + index, end: from + index + value.length });
    if (quote < 0) break;
    const end = endOfString(json, quote);
    const inner = json.slice(quote + 1, end - 1);
    const value = inner.includes("\\") ? (parseWellFormed(json.slice(quote, end)) as string) : inner;
    strings.push({ value, start: quote, end });
    from = end;
  }
  return strings;
}

/** The JSON with other values in place of its strings; what stays the same stays byte for byte. */
export function replaceStrings(
  json: string,
  strings: readonly JsonString[],
  values: readonly string[],
): string {
  if (strings.every(({ value }, index) => value === values[index])) return json;
  let result = "";
  let at = 0;
  for (const [index, { value, start, end }] of strings.entries()) {
    const next = values[index] ?? value;
    if (next === value) continue;
    result += json.slice(at, start) + JSON.stringify(next);
    at = end;
  }
  return result + json.slice(at);
}
