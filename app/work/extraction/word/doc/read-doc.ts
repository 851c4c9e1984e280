import type { CompoundFile } from "../../compound-file";
import { type DocumentBuilder, MAX_TEXT, TEXT_NOTE } from "../../document-builder";
import { commentLine } from "../../labels";
import { noteOf, type WordDocument } from "../word-flow";
import { Inline } from "../word-inline";
import { type Item, ItemWriter, linesOf, type Sink } from "../word-items";
import { Numbering } from "../word-numbering";
import { Styles } from "../word-styles";
import { CellCount } from "../word-table";
import { DocFile, PAIR, readPlc, type StoryName } from "./doc-file";
import { type DocStyle, numberingOf, readStyles } from "./doc-lists";
import { DocProperties, type ParagraphProperties } from "./doc-properties";

// biome-ignore lint/suspicious/noControlCharactersInRegex: the format marks its text by them
const PARAGRAPH_END = /[\r\x07\f]/g;
const CELL_END = "\x07";
const [FIELD_BEGIN, FIELD_SEPARATOR, FIELD_END] = ["\x13", "\x14", "\x15"];
// biome-ignore lint/suspicious/noControlCharactersInRegex: the format marks its text by them
const SPECIAL = /([\0-\x1f])/;
/** Stories of the headers: three kinds of separators twice, then six of each section. */
const SEPARATORS = 6;
/** Headers of even, odd and first pages; the others are footers. */
const HEADERS = new Set([0, 1, 4]);

type Reference = { kind: "footnote" | "endnote" | "comment"; id: string };

/** Fields that begin and end, by the position of their first letter: a damaged one would take the rest for its code. */
function wholeFields(text: string, start: number, end: number): Set<number> {
  const whole = new Set<number>();
  const open: number[] = [];
  for (let at = start; at < end; at++) {
    const letter = text[at];
    if (letter === FIELD_BEGIN) open.push(at);
    const begin = letter === FIELD_END ? open.pop() : undefined;
    if (begin !== undefined) whole.add(begin).add(at);
  }
  return whole;
}

/** Reads one story of a file. */
class StoryReader {
  readonly #file: DocFile;
  readonly #properties: DocProperties;
  readonly #styles: readonly DocStyle[];
  readonly #document: WordDocument;
  readonly #references: ReadonlyMap<number, Reference>;
  readonly #inline: Inline;
  #fields = new Set<number>();
  #inTable = false;
  #inRow = false;
  #inCell = false;

  constructor(reader: DocReader, references: ReadonlyMap<number, Reference>, sink: Sink) {
    this.#file = reader.file;
    this.#properties = reader.properties;
    this.#styles = reader.styles;
    this.#document = reader.document;
    this.#references = references;
    this.#inline = new Inline(reader.document, sink);
  }

  read(start: number, end: number): void {
    const { text } = this.#file;
    this.#fields = wholeFields(text, start, end);
    for (let at = start; at < end; ) {
      if (this.#inline.length > MAX_TEXT || this.#document.builder.isFull) {
        this.#document.builder.note(TEXT_NOTE);
        break;
      }
      PARAGRAPH_END.lastIndex = at;
      const stop = PARAGRAPH_END.exec(text)?.index ?? end;
      this.#readParagraph(at, Math.min(stop, end));
      at = stop + 1;
    }
    this.#closeTable();
    this.#inline.flow.finish();
  }

  #readParagraph(start: number, stop: number): void {
    const { flow } = this.#inline;
    const { at, start: first, width } = this.#file.pieceAt(stop);
    const { run: properties } = this.#properties.paragraphs.at(at + (stop - first) * width);
    if (properties?.isRowEnd && this.#inRow) {
      this.#closeRow();
      return;
    }
    if (properties?.inTable) this.#openCell();
    else this.#closeTable();
    flow.openParagraph();
    this.#describe(properties);
    this.#readLetters(start, stop);
    flow.closeParagraph();
    if (this.#file.text[stop] === CELL_END && this.#inCell) {
      flow.closeContainer();
      this.#inCell = false;
    }
  }

  #describe(properties: ParagraphProperties | undefined): void {
    const { paragraph } = this.#inline.flow;
    const style = this.#styles[properties?.style ?? 0];
    if (!paragraph) return;
    paragraph.outline = properties?.outline ?? style?.outline;
    const list = properties?.list ?? style?.list;
    paragraph.numberedBy = {
      list: list ? String(list) : "0",
      level: properties?.level ?? style?.level,
    };
    paragraph.hasPageReference = style?.isContents ?? false;
  }

  #readLetters(start: number, stop: number): void {
    for (let at = start; at < stop; ) {
      const piece = this.#file.pieceAt(at);
      const position = piece.at + (at - piece.start) * piece.width;
      const { run, end } = this.#properties.letters.at(position);
      const length = Math.max(1, Math.ceil((end - position) / piece.width));
      const next = Math.min(stop, Math.max(piece.end, at + 1), at + length);
      const text = this.#file.text.slice(at, next);
      this.#inline.openRun();
      if (run?.isHidden) this.#inline.setHidden(true);
      if (run?.isDeleted) this.#document.builder.leaveOut("deleted passage", "deleted passages");
      else if (run?.symbol) {
        this.#inline.writeSymbol(run.symbol.code.toString(16), this.#properties.fontOf(run.symbol.font));
      } else this.#writeText(text, at);
      at = next;
    }
  }

  #writeText(text: string, start: number): void {
    let at = start;
    for (const part of text.split(SPECIAL)) {
      const reference = part ? this.#references.get(at) : undefined;
      if (SPECIAL.test(part)) this.#writeSpecial(part, at);
      else if (this.#inline.fields.isCode) this.#inline.fields.addCode(part);
      else this.#inline.writeLetters(part);
      if (reference) this.#refer(reference, part !== "\x02");
      at += part.length;
    }
  }

  #refer({ kind, id }: Reference, hasOwnMark: boolean): void {
    if (kind === "comment") this.#inline.comment(id);
    else this.#inline.refer(kind, id, hasOwnMark);
  }

  #writeSpecial(letter: string, at: number): void {
    const { fields } = this.#inline;
    if (letter === "\t") this.#inline.write("\t");
    else if (letter === "\v" || letter === "\x0e") this.#inline.write("\n");
    else if (letter === "\x1e") this.#inline.write("-");
    else if (letter === "\x01") this.#leaveOut();
    else if (letter === FIELD_BEGIN && this.#fields.has(at)) fields.begin();
    else if (letter === FIELD_SEPARATOR) this.#inline.beginResult();
    else if (letter === FIELD_END && this.#fields.has(at)) this.#inline.endField();
  }

  /** Counts what stands in a stream of its own: an image, or within a field's code what a form's box says. */
  #leaveOut(): void {
    const { builder } = this.#document;
    const { fields } = this.#inline;
    if (fields.isObject) builder.leaveOut("embedded object", "embedded objects");
    else if (!fields.isCode) builder.leaveOut("image", "images");
    else if (fields.isFormBox)
      builder.leaveOut("check box or list of a form", "check boxes or lists of a form");
  }

  #openCell(): void {
    const { flow } = this.#inline;
    if (!this.#inTable) flow.openTable();
    if (!this.#inRow) flow.table?.openRow();
    if (!this.#inCell) flow.openCell();
    this.#inTable = true;
    this.#inRow = true;
    this.#inCell = true;
  }

  #closeRow(): void {
    const { flow } = this.#inline;
    if (this.#inCell) flow.closeContainer();
    if (this.#inRow) flow.table?.closeRow();
    this.#inCell = false;
    this.#inRow = false;
  }

  #closeTable(): void {
    if (!this.#inTable) return;
    this.#closeRow();
    this.#inline.flow.closeTable();
    this.#inTable = false;
  }
}

class DocReader {
  readonly file: DocFile;
  readonly properties: DocProperties;
  readonly styles: DocStyle[];
  readonly document: WordDocument;

  constructor(file: DocFile, builder: DocumentBuilder) {
    this.file = file;
    this.properties = new DocProperties(file);
    this.styles = readStyles(file);
    const styles = new Styles(undefined);
    const numbering = new Numbering(Buffer.from(numberingOf(file)), styles);
    this.document = { builder, styles, numbering, cells: new CellCount(), notes: new Map() };
  }

  read(): void {
    const { builder, notes } = this.document;
    const references = new Map<number, Reference>([
      ...this.#readNotes("footnote", "footnotes", PAIR.footnoteReferences, PAIR.footnoteTexts, 2),
      ...this.#readNotes("endnote", "endnotes", PAIR.endnoteReferences, PAIR.endnoteTexts, 2),
      ...this.#readNotes("comment", "comments", PAIR.commentReferences, PAIR.commentTexts, 30),
    ]);
    const writer = new ItemWriter(builder);
    this.#readStory("body", writer, references);
    this.#readStory("textBoxes", writer);
    writer.flush();
    for (const [key, note] of notes) {
      if (key.startsWith("comment ")) builder.add("paragraph", commentLine(note.author, note.text));
    }
    this.#readHeaders();
  }

  #readStory(name: StoryName, sink: Sink, references = new Map<number, Reference>()): void {
    new StoryReader(this, references, sink).read(...this.file.story(name));
  }

  #itemsOf(start: number, end: number): Item[] {
    const items: Item[] = [];
    new StoryReader(this, new Map(), { add: (item) => items.push(item) }).read(start, end);
    return items;
  }

  /** Reads notes, and where the body refers to each. */
  #readNotes(
    kind: Reference["kind"],
    name: StoryName,
    referencePair: number,
    textPair: number,
    dataLength: number,
  ): [number, Reference][] {
    const [first, last] = this.file.story(name);
    const { positions, data } = readPlc(this.file.structure(referencePair), dataLength);
    const texts = readPlc(this.file.structure(textPair), 0).positions;
    const authors = kind === "comment" ? readAuthors(this.file.structure(PAIR.commentAuthors)) : [];
    return data.map((item, at) => {
      const [start, end] = [first + (texts[at] ?? 0), first + (texts[at + 1] ?? 0)];
      const author = kind === "comment" ? (authors[item.readUInt16LE(20)] ?? "") : "";
      const items = end > start ? this.#itemsOf(start, Math.min(end, last)) : [];
      this.document.notes.set(`${kind} ${at}`, noteOf(author, items));
      return [positions[at] ?? 0, { kind, id: String(at) }];
    });
  }

  #readHeaders(): void {
    const [first, last] = this.file.story("headers");
    const { positions } = readPlc(this.file.structure(PAIR.headers), 0);
    const lines = { Header: new Set<string>(), Footer: new Set<string>() };
    for (let at = SEPARATORS; at + 1 < positions.length; at++) {
      const [start, end] = [first + (positions[at] ?? 0), first + (positions[at + 1] ?? 0)];
      if (end <= start) continue;
      const into = lines[HEADERS.has((at - SEPARATORS) % 6) ? "Header" : "Footer"];
      for (const line of this.#itemsOf(start, Math.min(end, last)).flatMap(linesOf)) into.add(line.trim());
    }
    for (const [name, found] of Object.entries(lines)) {
      const text = [...found].filter((line) => /[\p{L}\p{N}]/u.test(line)).join("\n");
      if (text) this.document.builder.add("paragraph", `${name}: ${text}`);
    }
  }
}

/** Reads a row of texts, each behind its length. */
function readAuthors(bytes: Buffer): string[] {
  const authors: string[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const length = bytes.readUInt16LE(at) * 2;
    authors.push(bytes.toString("utf16le", at + 2, at + 2 + length));
    at += 2 + length;
  }
  return authors;
}

/** Reads a Word file of the versions 97 to 2003. */
export function readDoc(file: CompoundFile, builder: DocumentBuilder): void {
  new DocReader(new DocFile(file), builder).read();
}
