import { clip, cutIndex } from "~/core/well-formed";
import type { Block, Facts, ReadDocument } from "./document.schema";

/** Stored text per document, in characters: about 1,500 printed pages. */
export const MAX_TEXT = 5_000_000;
export const TEXT_NOTE = `Only the first ${MAX_TEXT.toLocaleString("en")} characters were read.`;
/** Pages of a PDF, slides of a presentation. */
export const MAX_PAGES = 5_000;
/** Rows of a CSV file, or of all sheets of a workbook. */
export const MAX_ROWS = 100_000;
export const ROWS_NOTE = `Only the first ${MAX_ROWS.toLocaleString("en")} rows were read.`;

const BETWEEN_PARAGRAPHS = /\n[^\S\n]*\n/;
const SEPARATOR = "\n\n";
/** In characters. */
const MAX_TITLE_LENGTH = 300;

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches the characters to remove
const CONTROLS = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;
/** Soft hyphen, zero-width space, word joiner and byte order mark. */
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/g;
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** Normalizes text: composed, printable characters and `\n` line ends. */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029\f]/g, "\n")
    .replace(CONTROLS, "")
    .replace(INVISIBLE, "")
    .replace(LONE_SURROGATES, "\ufffd")
    .normalize("NFC");
}

export function oneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, " ").trim();
}

export function shortText(text: string | null | undefined, max = MAX_TITLE_LENGTH): string {
  return clip(oneLine(text ?? ""), max);
}

type BlockFacts = Pick<Block, "level" | "page" | "header">;

export class DocumentBuilder {
  readonly #parts: string[] = [];
  readonly #blocks: Block[] = [];
  readonly #notes: string[] = [];
  readonly #leftOut = new Map<string, { count: number; many: string }>();
  #length = 0;
  #isFull = false;

  get isFull(): boolean {
    return this.#isFull;
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  get length(): number {
    return this.#length;
  }

  get firstHeading(): string {
    const at = this.#blocks.findIndex((block) => block.kind === "heading");
    return at < 0 ? "" : (this.#parts[at] ?? "").trim();
  }

  note(sentence: string): void {
    if (!this.#notes.includes(sentence)) this.#notes.push(sentence);
  }

  /**
   * Counts content that a reader leaves out by choice; `finish` says it in one sentence.
   * @param one in the singular, without an article: `hidden part`
   * @param many in the plural: `hidden parts`
   */
  leaveOut(one: string, many: string, count = 1): void {
    if (count > 0) this.#leftOut.set(one, { count: count + (this.#leftOut.get(one)?.count ?? 0), many });
  }

  heading(level: number, text: string, page?: number): void {
    const line = oneLine(text);
    if (line)
      this.#append("heading", line, { level: Math.min(6, Math.max(1, level)), ...(page ? { page } : {}) });
  }

  /** Adds a block other than a heading. Trims it and keeps its line ends. */
  add(kind: Exclude<Block["kind"], "heading">, text: string, facts: BlockFacts = {}): void {
    // A regular expression for trailing space would be quadratic.
    const lines = cleanText(text)
      .split("\n")
      .map((line) => line.trimEnd());
    while (lines[0] === "") lines.shift();
    const clean = lines.join("\n").trimEnd();
    if (clean) this.#append(kind, kind === "code" ? clean : clean.trimStart(), facts);
  }

  /** Adds the paragraphs of a text, which blank lines separate. */
  paragraphs(text: string): void {
    for (const paragraph of text.replace(/\r\n?/g, "\n").split(BETWEEN_PARAGRAPHS)) {
      if (this.#isFull) return;
      this.add("paragraph", paragraph);
    }
  }

  table(rows: readonly (readonly string[])[], facts: BlockFacts = {}): void {
    const lines: string[] = [];
    let length = 0;
    for (const row of rows) {
      if (length > MAX_TEXT) break;
      const line = tableLine(row);
      if (line) lines.push(line);
      length += line.length;
    }
    const header = (facts.header ?? false) && lines.length > 1;
    this.add("table", lines.join("\n"), { ...facts, header });
  }

  /** @param title defaults to the first heading if empty */
  finish(title: string, facts: Facts): ReadDocument {
    const notes = [...(facts.notes ?? []), ...this.#notes, ...this.#leftOutNote()];
    return {
      title: shortText(title) || clip(this.firstHeading, MAX_TITLE_LENGTH),
      text: this.#parts.join(SEPARATOR),
      blocks: this.#blocks,
      facts: { ...facts, ...(notes.length > 0 ? { notes } : {}) },
    };
  }

  #leftOutNote(): string[] {
    const parts = [...this.#leftOut].map(
      ([one, { count, many }]) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`,
    );
    return parts.length > 0 ? [`Left out: ${parts.join(", ")}.`] : [];
  }

  #append(kind: Block["kind"], text: string, { level, page, header }: BlockFacts): void {
    if (this.#isFull) return;
    const start = this.#length + (this.isEmpty ? 0 : SEPARATOR.length);
    const room = MAX_TEXT - start;
    const kept = text.length <= room ? text : cutAtSpace(text, room);
    if (kept.length < text.length) {
      this.#isFull = true;
      this.note(TEXT_NOTE);
    }
    if (!kept) return;
    this.#parts.push(kept);
    this.#length = start + kept.length;
    this.#blocks.push({
      kind,
      ...(level === undefined ? {} : { level }),
      start,
      end: this.#length,
      ...(page === undefined ? {} : { page }),
      ...(header ? { header } : {}),
    });
  }
}

/** Ends beyond the length of a document: cells that a file repeats have more text than memory. */
function tableLine(cells: readonly string[]): string {
  const texts: string[] = [];
  let length = 0;
  for (const cell of cells) {
    if (length > MAX_TEXT) break;
    const text = cell && oneLine(cell);
    texts.push(text);
    length += text.length;
  }
  // Merged cells leave millions of empty ones.
  while (texts.at(-1) === "") texts.pop();
  return texts.join(" | ");
}

function cutAtSpace(text: string, max: number): string {
  if (max <= 0) return "";
  const at = text.lastIndexOf(" ", max);
  return text.slice(0, at > max * 0.9 ? at : cutIndex(text, max)).trimEnd();
}

/** In characters. */
const MAX_NAME_LENGTH = 80;

/** Guesses whether the first row is a header: short, distinct words. */
export function seemsHeader(rows: readonly (readonly string[])[]): boolean {
  const [first, second] = rows;
  if (!first || !second) return false;
  const names = first.map((cell) => cell.trim());
  while (names.at(-1) === "") names.pop();
  return (
    names.length > 1 &&
    new Set(names).size === names.length &&
    names.every((name) => name !== "" && name.length <= MAX_NAME_LENGTH && /\p{L}/u.test(name))
  );
}
