import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { PDFDocumentLoadingTask, PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { AppError } from "~/core/errors";
import type { Facts, ReadDocument } from "../document.schema";
import { DocumentBuilder, MAX_PAGES, MAX_TEXT, seemsHeader, shortText } from "../document-builder";
import { dropRunningLines, findLines, type Items, type Line } from "./lines";
import { findParagraphs, Headings, type OutlineEntry, type Paragraph } from "./paragraphs";

const NO_RECOGNITION = "Text recognition isn't supported.";

async function readLines(pdf: PDFDocumentProxy, pages: number): Promise<{ lines: Line[]; empty: number }> {
  const lines: Line[] = [];
  const budget = new TextBudget();
  let empty = 0;
  for (let number = 1; number <= pages && !budget.isFull; number++) {
    const page = await pdf.getPage(number);
    const pageLines = findLines(await readItems(page, budget), number, page.view[3] ?? 0);
    if (pageLines.length === 0) empty += 1;
    for (const line of pageLines) lines.push(line);
    page.cleanup();
  }
  return { lines, empty };
}

class ListOrTable {
  readonly #builder: DocumentBuilder;
  #open: Paragraph[] = [];

  constructor(builder: DocumentBuilder) {
    this.#builder = builder;
  }

  add(paragraph: Paragraph): void {
    const [first] = this.#open;
    if (first && (first.isRow !== paragraph.isRow || first.page !== paragraph.page)) this.end();
    this.#open.push(paragraph);
  }

  end(): void {
    const [first] = this.#open;
    const lines = this.#open.map((item) => item.text);
    this.#open = [];
    if (!first) return;
    const { page, isRow } = first;
    if (!isRow) this.#builder.add("list", lines.join("\n"), { page });
    else if (lines.length === 1) this.#builder.add("paragraph", first.text, { page });
    else {
      const rows = lines.map((line) => line.split(" | "));
      this.#builder.table(rows, { page, header: seemsHeader(rows) });
    }
  }
}

function addParagraphs(builder: DocumentBuilder, paragraphs: readonly Paragraph[], headings: Headings): void {
  const run = new ListOrTable(builder);
  for (const [at, paragraph] of paragraphs.entries()) {
    if (builder.isFull) break;
    const level = headings.levelOf(paragraph, paragraphs[at + 1]);
    if (level === undefined && (paragraph.isItem || paragraph.isRow)) {
      run.add(paragraph);
      continue;
    }
    run.end();
    if (level === undefined) builder.add("paragraph", paragraph.text, { page: paragraph.page });
    else builder.heading(level, paragraph.text, paragraph.page);
  }
  run.end();
}

function field(info: object, name: string): string {
  const value: unknown = Reflect.get(info, name);
  return typeof value === "string" ? shortText(value) : "";
}

/** Ignores titles that programs derive from the file name. */
function titleOf(info: object): string {
  const title = field(info, "Title").replace(/^Microsoft (?:Word|PowerPoint|Excel) - /, "");
  const isFileName = /\.(?:docx?|pdf|indd|tex|dvi|ps|pptx?|xlsx?|rtf|odt|html?)$/i.test(title);
  return isFileName || /^(?:untitled|document|slide)\s?\d{0,3}$/i.test(title) ? "" : title;
}

function dayOf(date: string): string {
  const [, year, month = "01", day = "01"] = /^D:(\d{4})(\d\d)?(\d\d)?/.exec(date) ?? [];
  return year ? `${year}-${month}-${day}` : "";
}

async function readFacts(pdf: PDFDocumentProxy): Promise<{ title: string; facts: Facts }> {
  // Damaged metadata doesn't affect the text.
  const info = await pdf.getMetadata().then(
    (metadata) => metadata.info,
    () => ({}),
  );
  const [author, language, created] = [
    field(info, "Author"),
    field(info, "Language"),
    field(info, "CreationDate"),
  ];
  const facts: Facts = {
    format: "PDF",
    pages: pdf.numPages,
    ...(author ? { author } : {}),
    ...(language ? { language } : {}),
    ...(dayOf(created) ? { created: dayOf(created) } : {}),
  };
  return { title: titleOf(info), facts };
}

function noteOmissions(builder: DocumentBuilder, pages: number, read: number, empty: number): void {
  if (pages > read) builder.note(`Only the first ${read.toLocaleString("en")} of ${pages} pages were read.`);
  if (empty === read) builder.note(`No text was found: the pages are images. ${NO_RECOGNITION}`);
  else if (empty > 0) {
    builder.note(`${empty === 1 ? "1 page has" : `${empty} pages have`} no text. ${NO_RECOGNITION}`);
  }
}

async function readOpened(pdf: PDFDocumentProxy): Promise<ReadDocument> {
  const pages = Math.min(pdf.numPages, MAX_PAGES);
  const { lines: all, empty } = await readLines(pdf, pages);
  const lines = dropRunningLines(all, pages);
  const paragraphs = findParagraphs(lines);
  const outline: OutlineEntry[] = await pdf.getOutline().then(
    (entries) => entries ?? [],
    () => [],
  );
  const builder = new DocumentBuilder();
  addParagraphs(builder, paragraphs, new Headings(lines, paragraphs, outline));
  noteOmissions(builder, pdf.numPages, pages, empty);
  const { title, facts } = await readFacts(pdf);
  return builder.finish(title, facts);
}

/**
 * Reads lines, paragraphs, lists and headings by position and size.
 * @throws AppError `invalid` if it has a password
 */
export async function readPdf(bytes: Uint8Array): Promise<ReadDocument> {
  const task = await openPdf(bytes);
  try {
    return await readOpened(await task.promise);
  } catch (error) {
    if (error instanceof Error && error.name === "PasswordException") {
      throw new AppError("invalid", "This PDF is password-protected. Remove the password and try again.", {
        cause: error,
      });
    }
    throw error;
  } finally {
    await task.destroy();
  }
}

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

class TextBudget {
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
async function readItems(page: PDFPageProxy, budget: TextBudget): Promise<Items> {
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

/** Loading pdf.js takes 0.2 s, so it is loaded for the first PDF. */
async function load() {
  // Keeps pdf.js from starting a worker: this is a worker process.
  const worker = await import("pdfjs-dist/legacy/build/pdf.worker.mjs");
  Object.assign(globalThis, { pdfjsWorker: worker });
  return import("pdfjs-dist/legacy/build/pdf.mjs");
}

/** Opens a PDF for reading text: no network, evaluated code, fonts, pictures or log output. */
async function openPdf(bytes: Uint8Array): Promise<PDFDocumentLoadingTask> {
  const pdfjs = await load();
  const folder = dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
  return pdfjs.getDocument({
    // A copy, because pdf.js detaches the buffer.
    data: new Uint8Array(bytes),
    verbosity: pdfjs.VerbosityLevel.ERRORS,
    isEvalSupported: false,
    useWorkerFetch: false,
    useSystemFonts: false,
    useWasm: false,
    disableFontFace: true,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    enableXfa: false,
    // Character maps of Chinese, Japanese and Korean fonts, in the package's folder.
    cMapUrl: `${join(folder, "cmaps")}/`,
    cMapPacked: true,
  });
}
