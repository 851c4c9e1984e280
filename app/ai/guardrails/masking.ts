import { yieldToEventLoop } from "~/core/background.server";
import { findPii, LONGEST_PII, type PiiKind } from "~/core/find-pii";

export interface Found {
  /** Of a placeholder, such as EMAIL. */
  label: string;
  start: number;
  end: number;
}

/** Characters that are looked at in one turn of the event loop. */
export const PIECE = 16_384;

const PLACEHOLDER = /\[[A-Z][A-Z_]{0,39}_\d{1,6}\]/g;
/** In characters. */
export const LONGEST_PLACEHOLDER = 50;

/** Characters that a text without any counts as. */
const LEAST = 64;

/** Ends the turn of the event loop after so many characters, whether of one text or of thousands. */
export class Pace {
  #left: number;

  constructor(private readonly perTurn: number) {
    this.#left = perTurn;
  }

  async after(characters: number): Promise<void> {
    this.#left -= characters + LEAST;
    if (this.#left > 0) return;
    this.#left = this.perTurn;
    await yieldToEventLoop();
  }
}

/** Personal data in a piece of a text, with what follows the piece so that nothing is cut. @param from of the piece */
export function findInPiece(text: string, from: number, kinds: readonly PiiKind[]): Found[] {
  // What begins before the piece was found with the one before; a little of that shows where a word begins.
  const before = Math.max(0, from - 1);
  const piece = text.slice(before, from + PIECE + LONGEST_PII);
  return findPii(piece, kinds)
    .map(({ kind, start, end }) => ({
      label: kind.toUpperCase(),
      start: start + before,
      end: end + before,
    }))
    .filter(({ start }) => start < from + PIECE);
}

function replaceFound(
  text: string,
  found: readonly Found[],
  toText: (value: string, label: string) => string,
) {
  let result = "";
  let at = 0;
  for (const { label, start, end } of found) {
    result += text.slice(at, start) + toText(text.slice(start, end), label);
    at = end;
  }
  return result + text.slice(at);
}

/** Replaces without a way back. */
export const blankOut = (text: string, found: readonly Found[]): string =>
  replaceFound(text, found, (_, label) => `[${label}]`);

/** Findings that are replaced at once. */
const REPLACED = 200;
/** Characters whose search takes as long as a finding's replacement. */
const PER_FINDING = 16;

/** @param found sorted, without overlaps */
export async function replaceInTurns(
  text: string,
  found: readonly Found[],
  replace: (part: string, found: readonly Found[]) => string,
  pace: Pace,
): Promise<string> {
  let result = "";
  let from = 0;
  for (let at = 0; at < found.length; at += REPLACED) {
    const batch = found.slice(at, at + REPLACED);
    const start = from;
    from = batch.at(-1)?.end ?? from;
    result += replace(
      text.slice(start, from),
      batch.map((one) => ({ ...one, start: one.start - start, end: one.end - start })),
    );
    await pace.after(batch.length * PER_FINDING);
  }
  return result + text.slice(from);
}

/** The end of a piece that cuts no placeholder. */
export function endOfPiece(text: string, from: number): number {
  const end = from + PIECE;
  if (end >= text.length) return text.length;
  const bracket = text.lastIndexOf("[", end - 1);
  return bracket > from && end - bracket < LONGEST_PLACEHOLDER ? bracket : end;
}

/** One call's placeholders. They count in the order of the call's texts, so that a longer conversation keeps them. */
export class Masks {
  readonly #placeholders = new Map<string, string>();
  readonly #values = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #taken = new Set<string>();

  private constructor() {}

  /** @param texts of the whole call: a placeholder that a caller wrote is never put in place of a value */
  static async of(texts: Iterable<string>): Promise<Masks> {
    const masks = new Masks();
    const pace = new Pace(PIECE);
    for (const text of texts)
      for (let from = 0, end: number; from < text.length; from = end) {
        end = endOfPiece(text, from);
        for (const [placeholder] of text.slice(from, end).matchAll(PLACEHOLDER))
          masks.#taken.add(placeholder);
        await pace.after(end - from);
      }
    return masks;
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  mask(text: string, found: readonly Found[]): string {
    return replaceFound(text, found, (value, label) => this.#placeholderOf(value, label));
  }

  /** Puts the values back. @param asJson true for text that is JSON itself, as arguments of tools are */
  restore(text: string, asJson = false): string {
    if (this.isEmpty || !text.includes("[")) return text;
    return text.replace(PLACEHOLDER, (placeholder) => {
      const value = this.#values.get(placeholder);
      if (value === undefined) return placeholder;
      return asJson ? JSON.stringify(value).slice(1, -1) : value;
    });
  }

  #placeholderOf(value: string, label: string): string {
    const key = `${label} ${value}`;
    const known = this.#placeholders.get(key);
    if (known) return known;
    let count = this.#counts.get(label) ?? 0;
    let placeholder: string;
    do placeholder = `[${label}_${++count}]`;
    while (this.#taken.has(placeholder));
    this.#counts.set(label, count);
    this.#placeholders.set(key, placeholder);
    this.#values.set(placeholder, value);
    return placeholder;
  }
}

/** Where a text stands: arguments of tools are JSON, thoughts are signed by some providers and stay as they are. */
export type TextKind = "text" | "json" | "thought";

/** Members whose strings no model reads as text. */
const NO_TEXT = new Set([
  ...["type", "role", "model", "id", "object", "status", "name", "format", "encoding_format"],
  ...["tool_call_id", "tool_use_id", "call_id", "item_id", "toolCallId", "toolName", "previous_response_id"],
  ...["signature", "encrypted_content", "finish_reason", "stop_reason", "system_fingerprint", "service_tier"],
  ...["image_url", "file_id", "file_data", "media_type", "mediaType", "detail"],
  ...["b64_json", "partial_image_b64"],
  ...["providerOptions", "providerMetadata", "cache_control", "embedding", "embeddings"],
]);
const THOUGHTS = new Set(["reasoning", "thinking", "redacted_thinking"]);
const THOUGHT_MEMBERS = new Set(["reasoning", "reasoning_content", "reasoning_details", "thinking"]);
const TOOL_CALLS = new Set(["tool_use", "server_tool_use", "tool-call"]);
/** Members that hold JSON as text. */
const JSON_MEMBERS = new Set(["arguments"]);
const MAX_DEPTH = 64;

const isPlain = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** Bytes of an image, a sound or a file; a text document of Anthropic's protocol has its text there. */
const isBytes = (name: string, { type, mediaType, format, transcript }: Record<string, unknown>) =>
  (name === "data" &&
    (type === "base64" ||
      type === "file" ||
      type === "image" ||
      [mediaType, format, transcript].some((one) => one !== undefined))) ||
  (name === "url" && type === "url") ||
  (name === "result" && type === "image_generation_call");

/** A text of a copied call or answer. */
interface CopiedText {
  text: string;
  kind: TextKind;
  /** Writes another one into the copy. */
  replace(text: string): void;
}

/** Values that are copied in one turn of the event loop. */
const COPIED = 4096;

interface Copying {
  from: unknown;
  to: object;
  name: string | number;
  kind: TextKind;
  isFree: boolean;
  depth: number;
}

/** As an own member, whatever its name. */
function put(to: object, name: string | number, value: unknown): void {
  if (name === "__proto__")
    Object.defineProperty(to, name, { value, writable: true, enumerable: true, configurable: true });
  else (to as Record<string | number, unknown>)[name] = value;
}

/** The members of an object that may hold texts; of the others the values themselves are in the copy. */
function membersOf(object: Record<string, unknown>, to: object, { kind, isFree, depth }: Copying): Copying[] {
  const { type } = object;
  const isThought = kind === "thought" || (!isFree && typeof type === "string" && THOUGHTS.has(type));
  return Object.entries(object).flatMap(([name, from]) => {
    // What a tool is called with has names of its own.
    if (isFree) return { from, to, name, kind, isFree, depth: depth + 1 };
    put(to, name, from);
    if (NO_TEXT.has(name) || isBytes(name, object)) return [];
    const becomesFree =
      (name === "input" && typeof type === "string" && TOOL_CALLS.has(type)) ||
      name === "parameters" ||
      name === "input_schema";
    const own: TextKind =
      isThought || THOUGHT_MEMBERS.has(name) ? "thought" : JSON_MEMBERS.has(name) ? "json" : "text";
    return { from, to, name, kind: own, isFree: becomesFree, depth: depth + 1 };
  });
}

/**
 * Copies a call or an answer, in any protocol, and finds its texts. All strings count as texts but those of members that
 * are known to hold none: an unknown member of a protocol is checked too.
 */
export async function copyTexts<T>(value: T): Promise<{ copy: T; texts: CopiedText[] }> {
  const copied: { copy: T; texts: CopiedText[] } = { copy: value, texts: [] };
  const waiting: Copying[] = [
    { from: value, to: copied, name: "copy", kind: "text", isFree: false, depth: 0 },
  ];
  let count = 0;
  for (let one = waiting.pop(); one; one = waiting.pop()) {
    const { from, to, name, kind, isFree, depth } = one;
    if (typeof from === "string")
      copied.texts.push({ text: from, kind, replace: (text) => put(to, name, text) });
    if (typeof from === "string" || depth > MAX_DEPTH || !(Array.isArray(from) || isPlain(from)))
      put(to, name, from);
    else {
      const copy = Array.isArray(from) ? [] : {};
      put(to, name, copy);
      const members = Array.isArray(from)
        ? from.map((item, at) => ({ from: item, to: copy, name: at, kind, isFree, depth: depth + 1 }))
        : membersOf(from, copy, one);
      // Taken from the end, so that the first comes first.
      for (const member of members.reverse()) waiting.push(member);
    }
    if (++count % COPIED === 0) await yieldToEventLoop();
  }
  return copied;
}
