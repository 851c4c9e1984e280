// JavaScript strings can hold lone surrogates, UTF-8 can't. Input gets U+FFFD instead when it is parsed.

/** A JSON escape: a surrogate pair, a lone surrogate (captured), or any other. */
const ESCAPE =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(\\u[dD][89a-fA-F][\da-fA-F]{2})|\\[\s\S]/g;
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

type Reviver = (name: string, value: unknown, context?: { source?: string }) => unknown;

/** `JSON.parse` for external input: strings and keys become well formed. @throws SyntaxError */
export function parseWellFormed(json: string, reviver?: Reviver): unknown {
  const text = json.toWellFormed();
  if (!ESCAPED_SURROGATE.test(text)) return JSON.parse(text, reviver);
  const mended = text.replace(ESCAPE, (match, lone) => (lone === undefined ? match : "\\ufffd"));
  return JSON.parse(mended, reviver);
}

/** Where to cut a text so that at most `max` UTF-16 units stand before it and no surrogate pair is split. */
export const cutIndex = (text: string, max: number) =>
  max >= text.length ? text.length : isHighSurrogate(text.charCodeAt(max - 1)) ? max - 1 : max;

/** Truncates to `max` UTF-16 units without splitting a surrogate pair. */
export const clip = (text: string, max: number): string => text.slice(0, Math.max(0, cutIndex(text, max)));

/** Trimmed, without blank ones. */
export const linesOf = (text: string): string[] => text.split(/\r?\n/).flatMap((line) => line.trim() || []);

export const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

/** Makes strings and keys of plain objects and arrays well formed. @param depth maximum depth */
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

const UNDISPLAYABLE = /\r\n?|(?![\t\n])\p{Cc}|\p{Surrogate}/gu;

function escapeControl(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 13) return "\n";
  if (code < 32) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}

const OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/g;

/** Without marks that turn the text after them around, for a line in which names stand among our words. */
export const withoutOverrides = (text: string): string => text.replace(OVERRIDES, "");

/** Replaces line ends, control characters and lone surrogates; server and browser get the same text. */
export function toDisplayText(text: string): string {
  return text.replace(UNDISPLAYABLE, escapeControl);
}
