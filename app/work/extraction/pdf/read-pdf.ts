import type { PDFDocumentProxy } from "pdfjs-dist";
import { AppError } from "~/core/errors";
import type { DocumentFacts, ReadDocument } from "../document";
import { DocumentBuilder, shortText } from "../document-builder";
import { MAX_PAGES } from "../limits";
import { seemsHeader } from "../table-header";
import { Headings, type OutlineEntry } from "./headings";
import { readItems, TextBudget } from "./items";
import { findLines, type Line } from "./lines";
import { openPdf } from "./open";
import { findParagraphs, type Paragraph } from "./paragraphs";
import { dropRunningLines } from "./running-lines";

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

async function readFacts(pdf: PDFDocumentProxy): Promise<{ title: string; facts: DocumentFacts }> {
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
  const facts: DocumentFacts = {
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
