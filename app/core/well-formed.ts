// A JavaScript string can hold half a surrogate pair, UTF-8 can't: such a text changes on its way through SQLite, a
// hash or an address. Outside input gets U+FFFD instead once, where it is parsed.

/** An escape in JSON: a whole pair, a lone half (captured), or any other. */
const ESCAPE =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(\\u[dD][89a-fA-F][\da-fA-F]{2})|\\[\s\S]/g;
const ESCAPED_HALF = /\\u[dD][89a-fA-F]/;

/**
 * `JSON.parse` for what comes from outside: every text and every name in the result is well formed. Of two names that
 * become equal the last one counts, as of any name that stands twice.
 *
 * @throws SyntaxError
 */
export function parseWellFormed(json: string): unknown {
  const text = json.toWellFormed();
  if (!ESCAPED_HALF.test(text)) return JSON.parse(text);
  return JSON.parse(text.replace(ESCAPE, (found, half) => (half === undefined ? found : "\\ufffd")));
}

/** At most the first `most` UTF-16 units of a text, never half a character. */
export function clip(text: string, most: number): string {
  const cut = text.slice(0, most);
  return cut.length < text.length && isFirstHalf(cut.charCodeAt(cut.length - 1)) ? cut.slice(0, -1) : cut;
}

/** Whether a UTF-16 unit is the first half of a pair. */
export const isFirstHalf = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

/**
 * The same value with well-formed texts and names. Only plain objects and arrays are looked into.
 *
 * @param depth how deep at most; what lies deeper stays as it is
 */
export function wellFormedValue<T>(value: T, depth?: number): T;
export function wellFormedValue(value: unknown, depth = 64): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null || depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => wellFormedValue(item, depth - 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name.toWellFormed(), wellFormedValue(item, depth - 1)]),
  );
}
