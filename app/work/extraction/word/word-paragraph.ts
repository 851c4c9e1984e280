import type { Item, ParagraphItem } from "./word-items";
import type { Numbering } from "./word-numbering";
import type { NumberedBy, ParagraphStyle, Styles } from "./word-styles";

/** Characters between two page numbers, such as in "3 of 7", which mean nothing without them. */
const MAX_BETWEEN_PAGES = 12;

/** A paragraph that is being read. */
export class Paragraph {
  style = "";
  outline: number | undefined;
  numberedBy: NumberedBy = { list: undefined, level: undefined };
  /** True if its mark was deleted, so that the next paragraph continues it. */
  isJoined = false;
  hasHidden = false;
  /** True if it has text of a table of contents. */
  inContents = false;
  hasPageReference = false;
  /** Parts that follow the paragraph: text boxes, charts, notes. */
  readonly after: Item[] = [];
  #text = "";
  readonly #readings: string[] = [];
  #readingEnd = -1;
  #pageNumberEnd = -1;

  get length(): number {
    return this.#text.length;
  }

  write(text: string): void {
    this.#text += text;
  }

  /** Ends a page's number, of which nothing was written. */
  endPageNumber(): void {
    const from = this.#pageNumberEnd;
    if (from >= 0 && this.#text.length - from <= MAX_BETWEEN_PAGES) this.#text = this.#text.slice(0, from);
    this.#pageNumberEnd = this.#text.length;
  }

  /** Begins the reading of the letters that follow. Readings beside each other are those of one word. */
  openReading(): void {
    if (this.#readingEnd !== this.#text.length || this.#readings.length === 0) this.#readings.push("");
  }

  writeReading(text: string): void {
    if (this.#readings.length > 0) this.#readings[this.#readings.length - 1] += text;
  }

  closeReading(): void {
    this.#readingEnd = this.#text.length;
  }

  /** Continues a paragraph whose mark was deleted. */
  continue(previous: Paragraph): void {
    this.#text = previous.#text + this.#text;
    this.#readings.unshift(...previous.#readings);
    this.after.unshift(...previous.after);
  }

  /** The whole text; the readings follow it, so that words stay whole. */
  #wholeText(isCode: boolean): string {
    const readings = this.#readings.map((item) => item.trim()).filter(Boolean);
    const text = isCode
      ? this.#text
      : this.#text
          .split("\n")
          .map((line) => line.replace(/\s+/g, " ").trim())
          .filter(Boolean)
          .join("\n");
    return readings.length > 0 ? `${text} (${readings.join(", ")})` : text;
  }

  /** @returns undefined for a paragraph without text */
  finish(styles: Styles, numbering: Numbering): ParagraphItem | undefined {
    const style = styles.paragraph(this.style);
    const level =
      this.outline === undefined || style.kind === "heading" ? style.level : (this.outline + 1) % 10;
    const kind = level > 0 ? "heading" : style.kind;
    const text = this.#wholeText(kind === "code");
    // Word counts an empty paragraph, but not one that is hidden.
    const marker = text || !this.hasHidden ? numbering.count(this.numberedBy, style) : undefined;
    if (!text.trim() || this.#isContents(style)) return undefined;
    const isItem = marker !== undefined && kind === "paragraph";
    return {
      kind: isItem ? "list" : kind,
      text,
      level,
      marker: marker?.text === "- " && !isItem ? undefined : marker,
      isNote: false,
    };
  }

  isContents(styles: Styles): boolean {
    return this.#isContents(styles.paragraph(this.style));
  }

  #isContents(style: ParagraphStyle): boolean {
    return this.inContents && (style.isContents || this.hasPageReference);
  }
}
