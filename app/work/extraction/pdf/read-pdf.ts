import { AppError } from "~/core/errors";
import type { Facts, ReadDocument } from "../document.schema";
import { DocumentBuilder, MAX_PAGES, MAX_TEXT, seemsHeader, shortText } from "../document-builder";
import type { SourceFile } from "../format";
import { insertFields, readAnnotations } from "./annotations";
import { readPageText } from "./characters";
import { Headings, readOutline } from "./headings";
import { type Line, splitLines, toLines } from "./lines";
import { findParagraphs, type Paragraph } from "./paragraphs";
import { Pdf } from "./pdfium";
import { notePages, PicturePages } from "./picture-pages";
import { dropRunningLines, inMargin } from "./running-lines";

type Recognized = SourceFile["recognized"];

interface Page {
  lines: Line[];
  notes: string[];
  attachments: number;
  /** Whether it shows something and has no text but in its margins. */
  isImage: boolean;
  isGuessed: boolean;
}

function readPage(pdf: Pdf, page: number, number: number, room: number): Page {
  const { characters, box, isDrawn, hasLargePicture, isGuessed } = readPageText(pdf, page, room);
  const { fields, notes, attachments } = readAnnotations(pdf, page);
  const pieces = splitLines(characters);
  const isScan = hasLargePicture && toLines(pieces, number, box).every(inMargin);
  insertFields(pieces, fields);
  const lines = toLines(pieces, number, box);
  return { lines, notes, attachments, isImage: isScan || (isDrawn && lines.length === 0), isGuessed };
}

interface Pages {
  lines: Line[];
  /** Recognized paragraphs and notes, which follow the text of their page. */
  notesByPage: Map<number, string[]>;
  pictures: PicturePages;
  guessedPages: number[];
  damagedPages: number[];
  attachments: number;
  /** Number of pages that were read. */
  read: number;
}

function readPages(pdf: Pdf, recognized: Recognized): Pages {
  const pages: Pages = {
    lines: [],
    notesByPage: new Map(),
    pictures: new PicturePages(recognized),
    guessedPages: [],
    damagedPages: [],
    attachments: 0,
    read: 0,
  };
  const last = Math.min(pdf.pageCount, MAX_PAGES);
  let room = MAX_TEXT;
  for (let number = 1; number <= last && room > 0; number++) {
    const page = pdf.withPage(number, (handle) => readPage(pdf, handle, number, room));
    pages.read = number;
    if (!page) {
      pages.damagedPages.push(number);
      continue;
    }
    for (const line of page.lines) {
      room -= line.text.length;
      pages.lines.push(line);
    }
    const recognizedText = page.isImage ? pages.pictures.add(number, page.lines) : [];
    const notes = [...recognizedText, ...page.notes];
    if (notes.length > 0) pages.notesByPage.set(number, notes);
    if (page.isGuessed) pages.guessedPages.push(number);
    pages.attachments += page.attachments;
  }
  if (pages.damagedPages.length === pages.read) throw new Error("PDFium can't open any page");
  return pages;
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

/** Adds the notes of pages up to `page`, behind the text of their page. */
function addNotes(builder: DocumentBuilder, notesByPage: Map<number, string[]>, page: number): void {
  for (const [number, notes] of notesByPage) {
    if (number > page) break;
    for (const note of notes) builder.add("paragraph", note, { page: number });
    notesByPage.delete(number);
  }
}

function addText(
  builder: DocumentBuilder,
  paragraphs: readonly Paragraph[],
  headings: Headings,
  notesByPage: Map<number, string[]>,
): void {
  const run = new ListOrTable(builder);
  for (const [at, paragraph] of paragraphs.entries()) {
    if (builder.isFull) break;
    const { page } = paragraph;
    if (page !== paragraphs[at - 1]?.page) {
      run.end();
      addNotes(builder, notesByPage, page - 1);
    }
    const level = headings.levelOf(paragraph, paragraphs[at + 1]);
    if (level === undefined && (paragraph.isItem || paragraph.isRow)) {
      run.add(paragraph);
      continue;
    }
    run.end();
    if (level === undefined) builder.add("paragraph", paragraph.text, { page });
    else builder.heading(level, paragraph.text, page);
  }
  run.end();
  addNotes(builder, notesByPage, Number.POSITIVE_INFINITY);
}

/** Ignores titles that programs derive from the file name. */
function titleOf(pdf: Pdf): string {
  const title = shortText(pdf.metadata("Title")).replace(/^Microsoft (?:Word|PowerPoint|Excel) - /, "");
  const isFileName = /\.(?:docx?|pdf|indd|tex|dvi|ps|pptx?|xlsx?|rtf|odt|html?)$/i.test(title);
  return isFileName || /^(?:untitled|document|slide)\s?\d{0,3}$/i.test(title) ? "" : title;
}

function dayOf(date: string): string {
  const [, year, month = "01", day = "01"] = /^D:(\d{4})(\d\d)?(\d\d)?/.exec(date) ?? [];
  return year ? `${year}-${month}-${day}` : "";
}

function readFacts(pdf: Pdf, pictures: PicturePages): Facts {
  const author = shortText(pdf.metadata("Author"));
  const created = dayOf(pdf.metadata("CreationDate"));
  return {
    format: "PDF",
    pages: pdf.pageCount,
    ...(author ? { author } : {}),
    ...(created ? { created } : {}),
    ...pictures.facts,
  };
}

const MAX_NAMED_FILES = 10;

function leaveOutAttachments(builder: DocumentBuilder, pdf: Pdf, pinned: number): void {
  const { names, count } = pdf.attachmentNames(MAX_NAMED_FILES);
  const list = names.map((name) => shortText(name, 80)).filter(Boolean);
  const named = list.length > 0 ? ` (${list.join(", ")}${count > list.length ? ", …" : ""})` : "";
  builder.leaveOut(`attached file${named}`, `attached files${named}`, count + pinned);
}

function readOpened(pdf: Pdf, recognized: Recognized): ReadDocument {
  if (pdf.isXfa) {
    throw new AppError(
      "invalid",
      "This PDF is an XFA form, which only Adobe's programs show. Print it to a PDF file there and add that one.",
    );
  }
  const pages = readPages(pdf, recognized);
  const { pictures, notesByPage, read } = pages;
  const { lines, dropped } = dropRunningLines(pages.lines, read);
  const paragraphs = findParagraphs(lines);
  const builder = new DocumentBuilder();
  addText(builder, paragraphs, new Headings(lines, paragraphs, readOutline(pdf)), notesByPage);
  if (pdf.pageCount > read)
    builder.note(`Only the first ${read.toLocaleString("en")} of ${pdf.pageCount} pages were read.`);
  notePages(builder, pages.damagedPages, ["is damaged and wasn't read.", "are damaged and weren't read."]);
  notePages(builder, pages.guessedPages, [
    "has fonts that don't name their characters: its text may be wrong.",
    "have fonts that don't name their characters: their text may be wrong.",
  ]);
  pictures.noteIn(builder);
  builder.leaveOut("repeated header or footer line", "repeated header and footer lines", dropped);
  leaveOutAttachments(builder, pdf, pages.attachments);
  return builder.finish(titleOf(pdf), readFacts(pdf, pictures));
}

/**
 * Reads lines, paragraphs, lists and headings by position and size, values of forms, notes, and what was recognized of
 * pages that are pictures.
 * @throws AppError `invalid` if it has a password or is an XFA form
 */
export async function readPdf(bytes: Uint8Array, recognized?: Recognized): Promise<ReadDocument> {
  return readOpened(await Pdf.open(bytes), recognized);
}
