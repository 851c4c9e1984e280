import type { PDFPageProxy } from "pdfjs-dist";
import { AppError } from "~/core/errors";
import { MAX_TEXT } from "../limits";
import type { Items } from "./lines";

/** More than `MAX_TEXT` holds. pdf.js reads about 50,000 words a second. */
const MAX_WORDS = 1_000_000;
const MAX_RUNS = 2_000_000;

const count = (number: number) => number.toLocaleString("en");

function tooMany(what: string): AppError {
  return new AppError(
    "invalid",
    `This PDF has more than ${what}, which is too much. Split it into smaller files.`,
  );
}

export class TextBudget {
  #runs = 0;
  #words = 0;
  #length = 0;

  get isFull(): boolean {
    return this.#length >= MAX_TEXT;
  }

  take(items: Items): void {
    for (const item of items) {
      this.#runs += 1;
      if (!("str" in item) || item.str.trim() === "") continue;
      this.#length += item.str.length;
      this.#words += item.str.split(" ").length;
    }
    if (this.#words > MAX_WORDS) throw tooMany(`${count(MAX_WORDS)} words`);
    if (this.#runs > MAX_RUNS) throw tooMany(`${count(MAX_RUNS)} runs of text`);
  }
}

/** Reads a page's text and counts it on the way: a page's size is unbounded. */
export async function readItems(page: PDFPageProxy, budget: TextBudget): Promise<Items> {
  const items: Items = [];
  const reader = page.streamTextContent().getReader() as ReadableStreamDefaultReader<{ items: Items }>;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      budget.take(next.value.items);
      for (const item of next.value.items) items.push(item);
      if (budget.isFull) break;
    }
  } finally {
    await reader.cancel(new Error("read")).catch(() => undefined);
  }
  return items;
}
