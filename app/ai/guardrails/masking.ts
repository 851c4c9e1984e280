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
