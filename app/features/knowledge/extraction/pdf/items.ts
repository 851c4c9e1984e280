import type { PDFPageProxy } from "pdfjs-dist";
import { AppError } from "~/core/errors";
import { MAX_TEXT } from "../limits";
import type { Items } from "./lines";

/** Words that are read: more than the text that is kept holds. pdf.js places about 50,000 a second. */
const MOST_WORDS = 1_000_000;
/** Runs of text, empty ones too: some documents place each letter by itself. */
const MOST_RUNS = 2_000_000;

const count = (number: number) => number.toLocaleString("en");

function tooMany(what: string): AppError {
  return new AppError(
    "invalid",
    `This PDF has more than ${what}, which is too much. Split it into smaller files.`,
  );
}

/** What may still be read of a document's text. */
export class TextBudget {
  #runs = 0;
  #words = 0;
  #length = 0;

  /** The most text that is kept has been read. */
  get full(): boolean {
    return this.#length >= MAX_TEXT;
  }

  /** @throws AppError `invalid` beyond what is read */
  take(items: Items): void {
    for (const item of items) {
      this.#runs += 1;
      if (!("str" in item) || item.str.trim() === "") continue;
      this.#length += item.str.length;
      this.#words += item.str.split(" ").length;
    }
    if (this.#words > MOST_WORDS) throw tooMany(`${count(MOST_WORDS)} words`);
    if (this.#runs > MOST_RUNS) throw tooMany(`${count(MOST_RUNS)} runs of text`);
  }
}

/** A page's text as pdf.js finds it, counted while it comes: one page may hold a whole library. */
export async function readItems(page: PDFPageProxy, budget: TextBudget): Promise<Items> {
  const items: Items = [];
  const reader = page.streamTextContent().getReader() as ReadableStreamDefaultReader<{ items: Items }>;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      budget.take(next.value.items);
      for (const item of next.value.items) items.push(item);
      if (budget.full) break;
    }
  } finally {
    await reader.cancel(new Error("read")).catch(() => undefined);
  }
  return items;
}
