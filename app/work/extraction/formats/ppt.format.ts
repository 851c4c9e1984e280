import { AppError } from "~/core/errors";
import { openCompoundFile } from "../compound-file";
import { DocumentBuilder, MAX_PAGES, oneLine } from "../document-builder";
import { type DocumentFormat, PASSWORD_PROTECTED } from "../format";
import { commentLine } from "../labels";
import {
  KINDS,
  type PptRecord,
  readDirectory,
  recordAt,
  recordsBelow,
  recordsIn,
  textIn,
} from "../slides/ppt-records";
import { noteCut, noteHidden } from "../slides/slide-text";

const STREAM = "PowerPoint Document";

export const ppt: DocumentFormat = {
  label: "PowerPoint 97",
  endings: [".ppt", ".pps", ".pot"],
  types: ["application/vnd.ms-powerpoint"],
  streams: [STREAM],
  isText: false,
  read({ bytes }) {
    const file = openCompoundFile(bytes);
    if (!file?.has("Current User")) throw new Error("A stream is missing.");
    const [stream, user] = [file.read(STREAM), file.read("Current User")];
    if (user.readUInt32LE(12) === ENCRYPTED) throw new AppError("invalid", PASSWORD_PROTECTED);
    const reader = new PptReader(stream, user.readUInt32LE(16));
    const slides = reader.addSlides();
    return reader.builder.finish("", { format: this.label, pages: slides });
  },
};

/** Mark in the stream `Current User`. */
const ENCRYPTED = 0xf3d1c4df;
/** Kinds of lists in the document, and of texts by their headers. */
const [SLIDES, NOTES] = [0, 2];
const TITLES = new Set([0, 6]);
const BODIES = new Set([1, 5, 7, 8]);
const NOTES_BODY = 2;
const HIDDEN = 4;
const FOOTER = 2;

interface Text {
  kind: number;
  lines: string[];
}

interface ListedSlide {
  /** Number of its object. */
  object: number;
  id: number;
  /** Titles and bodies, to which the boxes of the slide refer. */
  outline: Text[];
}

class PptReader {
  readonly builder = new DocumentBuilder();
  readonly #stream: Buffer;
  readonly #offsets: ReadonlyMap<number, number>;
  readonly #document: PptRecord | undefined;
  readonly #hidden: number[] = [];
  readonly #footers = new Set<string>();

  constructor(stream: Buffer, newestEdit: number) {
    this.#stream = stream;
    const { offsets, document } = readDirectory(stream, newestEdit);
    this.#offsets = offsets;
    this.#document = this.#recordOf(document);
    if (this.#document?.kind !== KINDS.document) throw new Error("The document is missing.");
  }

  #recordOf(object: number): PptRecord | undefined {
    const at = this.#offsets.get(object);
    return at === undefined ? undefined : recordAt(this.#stream, at);
  }

  #list(instance: number): ListedSlide[] {
    const listed: ListedSlide[] = [];
    let kind = 0;
    for (const list of this.#document ? recordsIn(this.#stream, this.#document) : []) {
      if (list.kind !== KINDS.list || list.instance !== instance) continue;
      for (const record of recordsIn(this.#stream, list)) {
        if (record.kind === KINDS.slideInList && record.end - record.start >= 16)
          listed.push({
            object: this.#stream.readUInt32LE(record.start),
            id: this.#stream.readUInt32LE(record.start + 12),
            outline: [],
          });
        kind = this.#headerOf(record) ?? kind;
        if (isText(record)) listed.at(-1)?.outline.push({ kind, lines: this.#linesOf(record) });
      }
    }
    return listed;
  }

  #headerOf({ kind, start, end }: PptRecord): number | undefined {
    return kind === KINDS.textHeader && end - start >= 4 ? this.#stream.readUInt32LE(start) : undefined;
  }

  /** Lines of a text. An asterisk stands for the date, the slide's number or the footer. */
  #linesOf(record: PptRecord): string[] {
    const lines = textIn(this.#stream, record).replaceAll("\v", " ").split("\r").map(oneLine);
    return lines.filter((line) => line !== "" && line !== "*");
  }

  #textsOf(container: PptRecord, outline: readonly Text[]): Text[] {
    const texts: Text[] = [];
    let kind = -1;
    for (const record of recordsBelow(this.#stream, container)) {
      kind = this.#headerOf(record) ?? kind;
      if (isText(record)) texts.push({ kind, lines: this.#linesOf(record) });
      if (record.kind !== KINDS.outlineText || record.end - record.start < 4) continue;
      const text = outline[this.#stream.readUInt32LE(record.start)];
      if (text) texts.push(text);
    }
    return texts;
  }

  /** Strings of a container within the slide, by their instance. */
  #stringsOf(slide: PptRecord, kind: number): Map<number, string>[] {
    const found: Map<number, string>[] = [];
    for (const container of recordsBelow(this.#stream, slide)) {
      if (container.kind !== kind) continue;
      const strings = new Map<number, string>();
      for (const record of recordsIn(this.#stream, container))
        if (record.kind === KINDS.string) strings.set(record.instance, oneLine(textIn(this.#stream, record)));
      found.push(strings);
    }
    return found;
  }

  addSlides(): number {
    const slides = this.#list(SLIDES);
    const notes = new Map(this.#list(NOTES).map(({ id, object }) => [id, object]));
    for (const [at, slide] of slides.slice(0, MAX_PAGES).entries()) {
      if (this.builder.isFull) break;
      this.#addSlide(slide, notes, at + 1);
    }
    noteCut(this.builder, slides.length);
    noteHidden(this.builder, this.#hidden);
    let images = 0;
    for (const { kind } of this.#document ? recordsBelow(this.#stream, this.#document) : [])
      if (kind === KINDS.image) images += 1;
    this.builder.leaveOut("image", "images", images);
    return slides.length;
  }

  #addSlide({ object, outline }: ListedSlide, notes: ReadonlyMap<number, number>, page: number): void {
    const slide = this.#recordOf(object);
    if (!slide) return;
    const texts = this.#textsOf(slide, outline).filter(({ lines }) => lines.length > 0);
    const rest = [
      ...this.#stringsOf(slide, KINDS.headersFooters).map((strings) => this.#footer(strings.get(FOOTER))),
      this.#notesOf(slide, notes, page),
      ...this.#stringsOf(slide, KINDS.comment).map((strings) =>
        commentLine(strings.get(0) ?? "", strings.get(1) ?? ""),
      ),
    ].filter(Boolean);
    if (texts.length + rest.length === 0) return;
    const isTitle = ({ kind }: Text) => TITLES.has(kind);
    const title = texts.filter(isTitle).flatMap(({ lines }) => lines);
    this.builder.heading(1, title.join(" ") || `Slide ${page}`, page);
    for (const text of texts.filter((item) => !isTitle(item))) {
      if (BODIES.has(text.kind) && text.lines.length > 1)
        this.builder.add("list", text.lines.map((line) => `- ${line}`).join("\n"), { page });
      else this.builder.add("paragraph", text.lines.join("\n"), { page });
    }
    for (const text of rest) this.builder.add("paragraph", text, { page });
  }

  #footer(text = ""): string {
    const isNew = !this.#footers.has(text);
    this.#footers.add(text);
    return isNew ? text : "";
  }

  /** Reads the speaker's notes, and whether the slide is hidden. */
  #notesOf(slide: PptRecord, notes: ReadonlyMap<number, number>, page: number): string {
    let id = 0;
    for (const { kind, start, end } of recordsIn(this.#stream, slide)) {
      if (kind === KINDS.slideAtom && end - start >= 20) id = this.#stream.readUInt32LE(start + 16);
      if (kind === KINDS.slideShowInfo && end - start >= 12 && this.#stream.readUInt16LE(start + 10) & HIDDEN)
        this.#hidden.push(page);
    }
    const notesPage = this.#recordOf(notes.get(id) ?? -1);
    const texts = notesPage ? this.#textsOf(notesPage, []) : [];
    const lines = texts.filter(({ kind }) => kind === NOTES_BODY).flatMap((text) => text.lines);
    return lines.length > 0 ? `Notes: ${lines.join("\n")}` : "";
  }
}

const isText = ({ kind }: PptRecord) => kind === KINDS.wideText || kind === KINDS.byteText;
