import type { Facts } from "../document.schema";
import type { DocumentBuilder } from "../document-builder";
import type { Line } from "./lines";

/** Pages of a document that are recognized. */
export const MAX_RECOGNIZED_PAGES = 500;
/** Of a page, in characters: more than any page of text has. */
export const MAX_PAGE_TEXT = 50_000;

/** Ranges that a sentence lists; the rest is counted. */
const MAX_RANGES = 20;

/** @param pages in ascending order */
function namePages(pages: readonly number[]): string {
  const ranges: { from: number; to: number }[] = [];
  for (const page of pages) {
    const last = ranges.at(-1);
    if (last?.to === page - 1) last.to = page;
    else ranges.push({ from: page, to: page });
  }
  const named = ranges.slice(0, MAX_RANGES);
  const more = pages.length - named.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const list = named.map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`)).join(", ");
  return `${list}${more > 0 ? ` and ${more.toLocaleString("en")} more` : ""}`;
}

/** @param predicate for one page and for several */
export function notePages(
  builder: DocumentBuilder,
  pages: readonly number[],
  predicate: [one: string, many: string],
): void {
  const [one, many] = predicate;
  if (pages.length === 1) builder.note(`Page ${pages[0]} ${one}`);
  else if (pages.length > 1) builder.note(`Pages ${namePages(pages)} ${many}`);
}

/** Letters and digits, which are equal in two readings of the same text. */
const essence = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

type Recognized = ReadonlyMap<number, string | null>;

function advise(recognized: Recognized | undefined): string {
  if (!recognized) return "Run text recognition (OCR) on the file and add it again.";
  if (recognized.size >= MAX_RECOGNIZED_PAGES)
    return `At most ${MAX_RECOGNIZED_PAGES} pages of a document are recognized: split the file.`;
  return "Install text recognition (npm run install:ocr) or name a server in the settings of scanned pages, and have the document read again.";
}

/** The pages of a document that are pictures. */
export class PicturePages {
  readonly #recognized: Recognized | undefined;
  readonly #withText: number[] = [];
  readonly #withoutText: number[] = [];

  /** @param recognized as of `SourceFile` */
  constructor(recognized: Recognized | undefined) {
    this.#recognized = recognized;
  }

  /**
   * @param lines the page's own, in its margins, which its picture shows too
   * @returns the paragraphs that were recognized on it
   */
  add(page: number, lines: readonly Line[]): string[] {
    const text = this.#recognized?.get(page)?.trim() ?? "";
    (text ? this.#withText : this.#withoutText).push(page);
    const own = new Set(lines.map((line) => essence(line.text)));
    return text.split(/\n{2,}/).filter((paragraph) => !own.has(essence(paragraph)));
  }

  get facts(): Pick<Facts, "imagePages" | "recognizedPages"> {
    return {
      ...(this.#withoutText.length > 0 ? { imagePages: this.#withoutText } : {}),
      ...(this.#withText.length > 0 ? { recognizedPages: this.#withText } : {}),
    };
  }

  noteIn(builder: DocumentBuilder): void {
    const resultOf = (page: number) => this.#recognized?.get(page);
    const missing = this.#withoutText.filter((page) => resultOf(page) === undefined);
    const failed = this.#withoutText.filter((page) => resultOf(page) === null);
    const empty = this.#withoutText.filter((page) => typeof resultOf(page) === "string");
    notePages(builder, this.#withText, [
      "is a picture whose text was recognized: it may have errors.",
      "are pictures whose text was recognized: it may have errors.",
    ]);
    notePages(builder, empty, [
      "is a picture in which no text was recognized.",
      "are pictures in which no text was recognized.",
    ]);
    notePages(builder, failed, [
      "is a picture that couldn't be recognized.",
      "are pictures that couldn't be recognized.",
    ]);
    const advice = advise(this.#recognized);
    notePages(builder, missing, [
      `is a picture without text. ${advice}`,
      `are pictures without text. ${advice}`,
    ]);
  }
}
