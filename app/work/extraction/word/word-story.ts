import { AppError } from "~/core/errors";
import { MAX_TEXT, TEXT_NOTE } from "../document-builder";
import type { Drawing } from "../drawings/drawing";
import { imageLine } from "../labels";
import { attributeOf, readXml } from "../office";
import { oneAlternative } from "../office-alternatives";
import { Formula } from "../office-math";
import { relationOf } from "../office-relationships";
import { noteOf, type WordDocument } from "./word-flow";
import { Inline } from "./word-inline";
import { type Item, paragraphItem, type Sink } from "./word-items";
import { Pictures } from "./word-pictures";
import { isOn, numberOf, SILENT } from "./word-xml";

type Attributes = Readonly<Record<string, string>>;

/** What the relationships of a part lead to, by ID. */
export interface Linked {
  drawings: ReadonlyMap<string, Drawing>;
  documents: ReadonlyMap<string, Item>;
}

/** Headers and footers of a section: IDs of relationships by kind and type, such as `header first`. */
export interface Section {
  references: Map<string, string>;
  hasFirstPage: boolean;
}

interface OpenNote {
  kind: string;
  id: string;
  author: string;
  items: Item[];
  isInline: boolean;
}

const MAX_DEPTH = 2_000;
const MAX_AUTHOR = 100;

/** Reads the text of a part of a Word file in its order: the body, a header, or notes. */
export class Story {
  readonly sections: Section[] = [];
  readonly #document: WordDocument;
  readonly #linked: Linked;
  readonly #inline: Inline;
  readonly #pictures = new Pictures();
  readonly #controls: { isBox: boolean; isChecked: boolean; produced: number }[] = [];
  readonly #notes: OpenNote[] = [];
  #formula: Formula | undefined;
  /** The properties that are read. */
  #properties: "" | "pPr" | "rPr" | "trPr" = "";
  #inForm = false;
  #textOf: "" | "t" | "code" = "";
  /** Depth within an element that isn't read. */
  #silence = 0;
  #depth = 0;

  /** @param sink gets the parts in their order */
  constructor(document: WordDocument, linked: Linked, sink: Sink) {
    this.#document = document;
    this.#linked = linked;
    this.#inline = new Inline(document, sink);
  }

  read(bytes: Uint8Array): void {
    readXml(
      bytes,
      oneAlternative({
        open: (name, attributes) => this.#open(name, attributes),
        text: (text) => this.#text(text),
        close: (name) => this.#close(name),
        isDone: () => this.#isDone(),
      }),
    );
    this.#inline.flow.finish();
  }

  readonly #openers = new Map<string, (attributes: Attributes) => void>([
    ["p", () => this.#inline.flow.openParagraph()],
    ["pPr", () => this.#openProperties("pPr")],
    ["rPr", () => this.#openProperties("rPr")],
    ["trPr", () => this.#openProperties("trPr")],
    ["pStyle", (attributes) => this.#setParagraph({ style: attributeOf(attributes) ?? "" })],
    ["outlineLvl", (attributes) => this.#setParagraph({ outline: numberOf(attributes) })],
    ["numId", (attributes) => this.#number({ list: attributeOf(attributes) })],
    ["ilvl", (attributes) => this.#number({ level: numberOf(attributes) })],
    ["r", () => this.#inline.openRun()],
    ["rStyle", (attributes) => this.#inline.setStyle(attributeOf(attributes) ?? "")],
    ["rFonts", (attributes) => this.#inline.setFont(attributeOf(attributes, "ascii"))],
    ["vanish", (attributes) => this.#inline.setHidden(isOn(attributes))],
    ["t", () => this.#read("t")],
    ["instrText", () => this.#read("code")],
    ["tab", () => this.#inline.write("\t")],
    ["ptab", () => this.#inline.write("\t")],
    ["br", () => this.#inline.write("\n")],
    ["cr", () => this.#inline.write("\n")],
    ["noBreakHyphen", () => this.#inline.write("-")],
    [
      "sym",
      (item) => this.#inline.writeSymbol(attributeOf(item, "char") ?? "", attributeOf(item, "font") ?? ""),
    ],
    ["fldChar", (attributes) => this.#mark(attributeOf(attributes, "fldCharType"))],
    ["fldSimple", (attributes) => this.#openField(attributeOf(attributes, "instr") ?? "")],
    ["ffData", () => this.#setForm(true)],
    ["default", (attributes) => this.#check(attributes)],
    ["checked", (attributes) => this.#check(attributes)],
    ["result", (attributes) => this.#choose(attributes)],
    ["listEntry", (attributes) => this.#addOption(attributeOf(attributes) ?? "")],
    ["rt", () => this.#openReading()],
    ["tbl", () => this.#inline.flow.openTable()],
    ["tr", () => this.#inline.flow.table?.openRow()],
    ["tc", () => this.#inline.flow.openCell()],
    ["gridBefore", (attributes) => this.#inline.flow.table?.skipColumns(numberOf(attributes) ?? 0)],
    ["gridSpan", (attributes) => this.#inline.flow.table?.span(numberOf(attributes) ?? 1)],
    ["vMerge", (attributes) => this.#merge(attributeOf(attributes))],
    ["tblHeader", (attributes) => this.#markHeader(isOn(attributes))],
    ["txbxContent", () => this.#inline.openBox()],
    ["txBody", () => this.#inline.openBox()],
    ["sdt", () => this.#controls.push({ isBox: false, isChecked: false, produced: this.#inline.produced })],
    ["checkbox", () => this.#setControl({ isBox: true })],
    ["drawing", () => this.#pictures.open(false, this.#inline.produced)],
    ["pict", () => this.#pictures.open(false, this.#inline.produced)],
    ["object", () => this.#pictures.open(true, this.#inline.produced)],
    ["docPr", (attributes) => this.#pictures.describe(attributes)],
    ["cNvPr", (attributes) => this.#pictures.describe(attributes)],
    ["shape", ({ alt }) => this.#pictures.describe({ descr: alt })],
    ["blip", () => this.#pictures.addImage()],
    ["imagedata", () => this.#pictures.addImage()],
    ["decorative", (attributes) => isOn(attributes) && this.#pictures.decorate()],
    ["textpath", ({ string = "" }) => this.#addAfter(paragraphItem(string.slice(0, MAX_TEXT)))],
    ["chart", (attributes) => this.#draw(relationOf(attributes))],
    ["relIds", (attributes) => this.#draw(relationOf(attributes, "dm"))],
    ["altChunk", (attributes) => this.#insert(relationOf(attributes))],
    ["subDoc", () => this.#document.builder.leaveOut("linked subdocument", "linked subdocuments")],
    ["footnoteReference", (attributes) => this.#refer("footnote", attributes)],
    ["endnoteReference", (attributes) => this.#refer("endnote", attributes)],
    ["commentReference", (attributes) => this.#inline.comment(attributeOf(attributes, "id") ?? "")],
    ["footnote", (attributes) => this.#openNote("footnote", attributes)],
    ["endnote", (attributes) => this.#openNote("endnote", attributes)],
    ["comment", (attributes) => this.#openNote("comment", attributes)],
    ["sectPr", () => this.sections.push({ references: new Map(), hasFirstPage: false })],
    ["titlePg", (attributes) => this.#setFirstPage(isOn(attributes))],
    ["headerReference", (attributes) => this.#addHeader("header", attributes)],
    ["footerReference", (attributes) => this.#addHeader("footer", attributes)],
  ]);

  readonly #closers = new Map<string, () => void>([
    ["p", () => this.#inline.flow.closeParagraph()],
    ["pPr", () => this.#closeProperties("pPr")],
    ["rPr", () => this.#closeProperties("rPr")],
    ["trPr", () => this.#closeProperties("trPr")],
    ["fldSimple", () => this.#inline.endField()],
    ["ffData", () => this.#setForm(false)],
    ["rt", () => this.#closeReading()],
    ["ruby", () => this.#inline.flow.paragraph?.closeReading()],
    ["tbl", () => this.#inline.flow.closeTable()],
    ["tr", () => this.#inline.flow.table?.closeRow()],
    ["tc", () => this.#inline.flow.closeContainer()],
    ["txbxContent", () => this.#inline.closeBox()],
    ["txBody", () => this.#inline.closeBox()],
    ["sdt", () => this.#closeControl()],
    ["drawing", () => this.#closePicture()],
    ["pict", () => this.#closePicture()],
    ["object", () => this.#closePicture()],
    ["footnote", () => this.#closeNote()],
    ["endnote", () => this.#closeNote()],
    ["comment", () => this.#closeNote()],
  ]);

  #isDone(): boolean {
    if (this.#inline.length <= MAX_TEXT && !this.#document.builder.isFull) return false;
    this.#document.builder.note(TEXT_NOTE);
    return true;
  }

  #open(name: string, attributes: Attributes): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) {
      throw new AppError(
        "invalid",
        `This Word file nests elements more than ${MAX_DEPTH.toLocaleString("en")} levels deep. Simplify it and try again.`,
      );
    }
    if (this.#silence > 0 || this.#isDeleted(name) || SILENT.has(name)) {
      this.#silence += 1;
      return;
    }
    if (name === "oMath") this.#formula ??= new Formula();
    if (this.#formula) this.#formula.open(name, attributes);
    else this.#openers.get(name)?.(attributes);
  }

  #text(text: string): void {
    if (this.#silence > 0) return;
    if (this.#formula) this.#formula.write(text);
    else if (this.#textOf === "code") this.#inline.fields.addCode(text);
    else if (this.#textOf === "t") this.#inline.writeLetters(text);
  }

  #close(name: string): void {
    this.#depth -= 1;
    this.#textOf = "";
    if (this.#silence > 0) {
      this.#silence -= 1;
      return;
    }
    if (!this.#formula) {
      this.#closers.get(name)?.();
      return;
    }
    const line = this.#formula.close(name);
    if (line === undefined) return;
    this.#formula = undefined;
    this.#inline.write(line);
  }

  /** Whether an element is a deleted passage. In properties it deletes a paragraph's end or a row. */
  #isDeleted(name: string): boolean {
    if (name !== "del" && name !== "moveFrom") return false;
    const { paragraph, table } = this.#inline.flow;
    if (this.#properties === "pPr" && paragraph) paragraph.isJoined = true;
    else if (this.#properties === "trPr") table?.deleteRow();
    else if (this.#properties === "" && name === "del" && !this.#formula) {
      this.#document.builder.leaveOut("deleted passage", "deleted passages");
    }
    return true;
  }

  /** A paragraph's properties hold those of its mark, which stay part of them. */
  #openProperties(name: "pPr" | "rPr" | "trPr"): void {
    if (this.#properties === "" || name !== "rPr") this.#properties = name;
  }

  #closeProperties(name: "pPr" | "rPr" | "trPr"): void {
    if (this.#properties === name) this.#properties = "";
  }

  #setParagraph(properties: { style?: string; outline?: number | undefined }): void {
    const { paragraph } = this.#inline.flow;
    if (paragraph && this.#properties === "pPr") Object.assign(paragraph, properties);
  }

  #number(by: { list?: string | undefined; level?: number | undefined }): void {
    const { paragraph } = this.#inline.flow;
    if (paragraph && this.#properties === "pPr") Object.assign(paragraph.numberedBy, by);
  }

  #read(textOf: "t" | "code"): void {
    this.#textOf = textOf;
  }

  #mark(type: string | undefined): void {
    if (type === "begin") this.#inline.fields.begin();
    else if (type === "separate") this.#inline.beginResult();
    else if (type === "end") this.#inline.endField();
  }

  #openField(code: string): void {
    this.#inline.fields.begin();
    this.#inline.fields.addCode(code);
    this.#inline.beginResult();
  }

  #setForm(inForm: boolean): void {
    this.#inForm = inForm;
  }

  #check(attributes: Attributes): void {
    const { form } = this.#inline.fields;
    if (!this.#inForm) this.#setControl({ isChecked: isOn(attributes) });
    else if (form) {
      form.isChecked = isOn(attributes);
      form.chosen = numberOf(attributes) ?? 0;
    }
  }

  #choose(attributes: Attributes): void {
    const { form } = this.#inline.fields;
    if (this.#inForm && form) form.chosen = numberOf(attributes) ?? 0;
  }

  #addOption(option: string): void {
    if (this.#inForm) this.#inline.fields.form?.options.push(option);
  }

  #openReading(): void {
    this.#inline.flow.paragraph?.openReading();
    this.#inline.inReading = true;
  }

  #closeReading(): void {
    this.#inline.inReading = false;
  }

  #merge(type: string | undefined): void {
    if (type !== "restart") this.#inline.flow.table?.continueCell();
  }

  #markHeader(isHeader: boolean): void {
    const { table } = this.#inline.flow;
    if (isHeader && table?.isFirstRow) table.hasHeader = true;
  }

  #setControl(properties: { isBox?: boolean; isChecked?: boolean }): void {
    Object.assign(this.#controls.at(-1) ?? {}, properties);
  }

  #closeControl(): void {
    const control = this.#controls.pop();
    if (!control?.isBox || this.#inline.produced > control.produced) return;
    this.#inline.write(control.isChecked ? "☒" : "☐");
  }

  #closePicture(): void {
    for (const alt of this.#pictures.close(this.#document.builder, this.#inline.produced)) {
      this.#addAfter(paragraphItem(imageLine(alt)));
    }
    this.#inline.produced += 1;
  }

  #addAfter(item: Item): void {
    this.#inline.produced += 1;
    this.#inline.flow.addAfter(item);
  }

  #draw(id: string): void {
    const drawing = this.#linked.drawings.get(id);
    if (drawing) this.#addAfter({ kind: "drawing", drawing });
    else this.#document.builder.leaveOut("drawing", "drawings");
  }

  #insert(id: string): void {
    const item = this.#linked.documents.get(id);
    if (item) this.#inline.flow.add(item);
    else this.#document.builder.leaveOut("inserted document", "inserted documents");
  }

  #refer(kind: "footnote" | "endnote", attributes: Attributes): void {
    const hasOwnMark = /^(?:1|true|on)$/.test(attributeOf(attributes, "customMarkFollows") ?? "");
    this.#inline.refer(kind, attributeOf(attributes, "id") ?? "", hasOwnMark);
  }

  #openNote(kind: string, attributes: Attributes): void {
    if (/separator|notice/i.test(attributeOf(attributes, "type") ?? "")) {
      this.#silence = 1;
      return;
    }
    const author = (attributeOf(attributes, "author") ?? "").slice(0, MAX_AUTHOR).trim();
    const items: Item[] = [];
    const isInline = this.#inline.flow.paragraph !== undefined;
    this.#notes.push({ kind, id: attributeOf(attributes, "id") ?? "", author, items, isInline });
    this.#inline.flow.openNote(items);
  }

  #closeNote(): void {
    const note = this.#notes.pop();
    if (!note) return;
    this.#inline.flow.closeContainer();
    this.#document.notes.set(`${note.kind} ${note.id}`, noteOf(note.author, note.items));
  }

  #setFirstPage(hasFirstPage: boolean): void {
    const section = this.sections.at(-1);
    if (section) section.hasFirstPage = hasFirstPage;
  }

  #addHeader(kind: "header" | "footer", attributes: Attributes): void {
    const type = attributeOf(attributes, "type") ?? "default";
    this.sections.at(-1)?.references.set(`${kind} ${type}`, relationOf(attributes));
  }
}
