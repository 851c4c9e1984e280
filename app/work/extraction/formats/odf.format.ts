import { posix } from "node:path";
import { AppError } from "~/core/errors";
import type { Facts } from "../document.schema";
import { DocumentBuilder, MAX_PAGES, oneLine, shortText } from "../document-builder";
import { type DocumentFormat, PASSWORD_PROTECTED } from "../format";
import { type OdfBlock, OdfContent, SHAPES } from "../odf/content";
import { collectStyles, type Styles } from "../odf/list-styles";
import { blocksOfPage, newPage, newUnit, type OdfPage } from "../odf/pages";
import { factsOf, type Parts, readXml, textsOf, unpackParts } from "../office";
import { headingOfSheet } from "../sheets/sheet-names";
import { noteCut, noteHidden } from "../slides/slide-text";

const isWanted = (name: string) =>
  /^(?:(?:[^/]+\/)?content\.xml|styles\.xml|meta\.xml|encrypted-package)$/.test(name);

export const odf: DocumentFormat = {
  label: "OpenDocument",
  endings: [".odt", ".ods", ".odp", ".ott", ".ots", ".otp"],
  types: [
    "application/vnd.oasis.opendocument.text",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.presentation",
  ],
  isText: false,
  entries: ["content.xml", "encrypted-package"],
  async read({ bytes }) {
    const parts = await unpackParts(bytes, isWanted);
    refuseEncrypted(parts);
    const reader = new OdfReader(parts);
    reader.readBody();
    const { title, facts } = readMeta(parts.get("meta.xml"));
    return reader.builder.finish(title, { ...reader.facts, ...facts });
  },
};

/** Encrypted parts aren't XML; newer files are encrypted whole. */
function refuseEncrypted(parts: Parts): void {
  const content = parts.get("content.xml");
  const isXml = content && /^\s*</.test(new TextDecoder().decode(content.subarray(0, 100)));
  if (!isXml && (content || parts.has("encrypted-package")))
    throw new AppError("invalid", PASSWORD_PROTECTED);
}

function readMeta(bytes: Uint8Array | undefined): { title: string; facts: Omit<Facts, "format"> } {
  const texts = bytes ? textsOf(bytes) : {};
  const creator = texts["initial-creator"] ?? texts.creator;
  return {
    title: shortText(texts.title),
    facts: factsOf({ creator, language: texts.language, created: texts["creation-date"] }),
  };
}

const TABLE = "<table:table ";

const LABELS: Readonly<Record<string, string>> = {
  text: "OpenDocument text",
  spreadsheet: "OpenDocument spreadsheet",
  presentation: "OpenDocument presentation",
};

class OdfReader {
  readonly builder = new DocumentBuilder();
  readonly #parts: Parts;
  readonly #styles: Styles = { lists: new Map(), hidden: new Set() };
  readonly #sheets: string[] = [];
  readonly #hidden: number[] = [];
  #kind = "";
  #pages = 0;
  /** Name of a sheet whose first block is still to come. */
  #heading = "";
  #isSingle = false;
  #page: OdfPage | undefined;
  #inNotes = false;
  /** Depth of shapes; the outermost ones are put in reading order. */
  #shapes = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    for (const name of ["styles.xml", "content.xml"]) {
      const bytes = parts.get(name);
      if (bytes) collectStyles(this.#styles, bytes);
    }
  }

  get facts(): Facts {
    const format = LABELS[this.#kind] ?? "OpenDocument";
    if (this.#kind === "spreadsheet") return { format, pages: this.#sheets.length, sheets: this.#sheets };
    return this.#kind === "presentation" ? { format, pages: this.#pages } : { format };
  }

  readBody(): void {
    const content = this.#parts.get("content.xml");
    if (!content) throw new Error("The content is missing.");
    const text = Buffer.from(content.buffer, content.byteOffset, content.length);
    this.#isSingle = text.indexOf(TABLE) === text.lastIndexOf(TABLE);
    let inBody = false;
    const reader = this.#contentReader((block) => this.#emit(block), true);
    readXml(content, {
      open: (name, attributes) => {
        if (name === "body") inBody = true;
        else if (inBody) {
          this.#openPart(name, attributes);
          reader.open(name, attributes);
        }
      },
      text: (text) => reader.text(text),
      close: (name) => {
        if (name === "body") inBody = false;
        else if (inBody) {
          reader.close(name);
          this.#closePart(name);
        }
      },
    });
    reader.finish();
    if (this.#kind === "text") this.#addHeaders();
    noteHidden(this.builder, this.#hidden);
    if (this.#kind === "presentation") noteCut(this.builder, this.#pages);
  }

  #contentReader(emit: (block: OdfBlock) => void, withObjects: boolean): OdfContent {
    return new OdfContent({
      builder: this.builder,
      styles: this.#styles,
      emit,
      readObject: (part) => (withObjects ? this.#readObject(part) : []),
    });
  }

  #openPart(name: string, attributes: Record<string, string>): void {
    if (this.#kind === "") this.#kind = name;
    else if (this.#kind === "spreadsheet" && name === "table" && attributes["table:name"] !== undefined) {
      this.#sheets.push(oneLine(attributes["table:name"]));
      this.#pages += 1;
      this.#heading = headingOfSheet(attributes["table:name"], this.#isSingle);
    } else if (name === "page" && attributes["draw:name"] !== undefined) {
      this.#pages += 1;
      this.#page = newPage(this.#styles.hidden.has(attributes["draw:style-name"] ?? ""));
    } else if (name === "notes" && this.#page) this.#inNotes = true;
    else if (SHAPES.has(name) && this.#page) {
      if (this.#shapes === 0 && !this.#inNotes) this.#page.units.push(newUnit(attributes));
      this.#shapes += 1;
    }
  }

  #closePart(name: string): void {
    if (SHAPES.has(name) && this.#page) this.#shapes -= 1;
    else if (name === "notes") this.#inNotes = false;
    else if (name === "page" && this.#page) {
      if (this.#page.isHidden) this.#hidden.push(this.#pages);
      if (this.#pages <= MAX_PAGES)
        for (const block of blocksOfPage(this.#page, this.#pages)) this.#add(block, this.#pages);
      this.#page = undefined;
    }
  }

  #emit(block: OdfBlock): void {
    if (!this.#page) this.#add(block, this.#pages);
    else if (this.#inNotes) this.#page.notes.push(block);
    else this.#page.units.at(-1)?.blocks.push(block);
  }

  #add({ kind, text, level = 1, rows = [], header = false }: OdfBlock, page: number): void {
    const facts = page > 0 ? { page } : {};
    // A sheet without content has no heading.
    this.builder.heading(1, this.#heading, page);
    this.#heading = "";
    if (kind === "heading") this.builder.heading(level, text, page);
    else if (kind === "table") this.builder.table(rows, { ...facts, header });
    else this.builder.add(kind, text, facts);
  }

  /** Reads a chart or a formula within the file. */
  #readObject(part: string): OdfBlock[] {
    const bytes = this.#parts.get(posix.join(posix.normalize(part), "content.xml"));
    if (!bytes) return [];
    const blocks: OdfBlock[] = [];
    const reader = this.#contentReader((block) => blocks.push(block), false);
    let [formula, source, inSource, inMath] = ["", "", false, false];
    readXml(bytes, {
      open: (name, attributes) => {
        if (name === "math") inMath = true;
        if (name === "annotation" && inMath) inSource = true;
        else reader.open(name, attributes);
      },
      text: (text) => {
        if (inSource) source += text;
        else if (inMath) formula += text;
        else reader.text(text);
      },
      close: (name) => {
        if (name === "annotation" && inMath) inSource = false;
        else reader.close(name);
      },
    });
    reader.finish();
    const line = oneLine(source || formula);
    return line ? [{ kind: "paragraph", text: line }] : blocks;
  }

  /** Adds headers and footers once, at the end. */
  #addHeaders(): void {
    const bytes = this.#parts.get("styles.xml");
    if (!bytes) return;
    const texts = new Set<string>();
    const reader = this.#contentReader(({ text }) => texts.add(text.trim()), false);
    let isInside = false;
    const bands = /^(?:header|footer)(?:-first|-left)?$/;
    readXml(bytes, {
      open: (name, attributes) => {
        if (bands.test(name)) isInside = true;
        else if (isInside) reader.open(name, attributes);
      },
      text: (text) => reader.text(text),
      close: (name) => {
        if (bands.test(name)) isInside = false;
        else if (isInside) reader.close(name);
      },
    });
    reader.finish();
    for (const text of texts) this.builder.add("paragraph", text);
  }
}
