import { posix } from "node:path";
import { DocumentBuilder } from "../document-builder";
import type { Drawing } from "../drawings/drawing";
import { readDrawing } from "../drawings/read-drawing";
import { commentLine } from "../labels";
import { type Parts, readXml, unpackParts } from "../office";
import { type Relationship, readRelationships } from "../office-relationships";
import type { WordDocument } from "./word-flow";
import { readInserted } from "./word-inserted";
import { type Item, ItemWriter, linesOf, type Sink } from "./word-items";
import { Numbering } from "./word-numbering";
import { type Linked, type Section, Story } from "./word-story";
import { Styles } from "./word-styles";
import { CellCount } from "./word-table";
import { isOn } from "./word-xml";

/** Charts, diagrams and inserted documents of a part. */
const MAX_LINKED = 1_000;
/** Documents inserted in inserted documents. */
const MAX_DEPTH = 3;

const UNREAD = /(?:^|\/)(?:customXml|theme|media|embeddings|fonts|glossary)\//;
const READ = /\.(?:xml|rels|html?|xhtml|mht|mhtml|txt|rtf|dat|docx|docm|dotx)$/i;
export const isWordPart = (name: string): boolean => READ.test(name) && !UNREAD.test(name);

const MAIN = /^word\/document\d*\.xml$/;
export const isMainPart = (name: string): boolean => MAIN.test(name);

function findMainPart(parts: Parts): string {
  const start = readRelationships(parts, "").find(({ type }) => type === "officeDocument");
  if (start && parts.has(start.target)) return start.target;
  return [...parts.keys()].find(isMainPart) ?? "word/document.xml";
}

async function insertedItem(bytes: Uint8Array, depth: number): Promise<Item | undefined> {
  const isWord = Buffer.from(bytes.subarray(0, 4)).toString("latin1") === "PK\x03\x04";
  if (!isWord) {
    const document = await readInserted(bytes);
    return document && { kind: "document", document };
  }
  if (depth >= MAX_DEPTH) return undefined;
  const builder = new DocumentBuilder();
  await readWord(await unpackParts(bytes, isWordPart), builder, depth + 1);
  return { kind: "document", document: builder.finish("", { format: "Word" }) };
}

/** Reads a Word file's parts; the source of each is the relationships of its own part. */
class Reader {
  readonly #parts: Parts;
  readonly #main: string;
  readonly #relationships: readonly Relationship[];
  readonly #document: WordDocument;
  readonly #depth: number;

  constructor(parts: Parts, builder: DocumentBuilder, depth: number) {
    this.#parts = parts;
    this.#depth = depth;
    this.#main = findMainPart(parts);
    this.#relationships = readRelationships(parts, this.#main);
    const styles = new Styles(this.#bytesOf("styles"));
    const numbering = new Numbering(this.#bytesOf("numbering"), styles);
    this.#document = { builder, styles, numbering, cells: new CellCount(), notes: new Map() };
  }

  async read(): Promise<void> {
    const { builder, notes } = this.#document;
    for (const type of ["footnotes", "endnotes", "comments"]) await this.#readNotes(type);
    const writer = new ItemWriter(builder);
    const sections = await this.#readPart(this.#main, this.#document, writer);
    writer.flush();
    // Comments on what was deleted.
    for (const [key, note] of notes) {
      if (key.startsWith("comment ")) builder.add("paragraph", commentLine(note.author, note.text));
    }
    for (const kind of ["header", "footer"] as const) await this.#readHeaders(kind, sections);
  }

  #partOf(type: string): string {
    const target = this.#relationships.find((item) => item.type === type)?.target;
    return target ?? posix.join(posix.dirname(this.#main), `${type}.xml`);
  }

  #bytesOf(type: string): Uint8Array | undefined {
    return this.#parts.get(this.#partOf(type));
  }

  async #readPart(part: string, document: WordDocument, sink: Sink): Promise<Section[]> {
    const bytes = this.#parts.get(part);
    if (!bytes) return [];
    const story = new Story(document, await this.#linkedBy(part), sink);
    story.read(bytes);
    return story.sections;
  }

  /** Notes have lists of their own, which don't count for the body. */
  async #readNotes(type: string): Promise<void> {
    const numbering = new Numbering(this.#bytesOf("numbering"), this.#document.styles);
    await this.#readPart(this.#partOf(type), { ...this.#document, numbering }, { add: () => undefined });
  }

  async #linkedBy(part: string): Promise<Linked> {
    const drawings = new Map<string, Drawing>();
    const documents = new Map<string, Item>();
    const all = part === this.#main ? this.#relationships : readRelationships(this.#parts, part);
    const linked = all.filter(({ type }) => /^(?:chart|chartEx|diagramData|aFChunk)$/.test(type));
    for (const { id, type, target } of linked.slice(0, MAX_LINKED)) {
      if (type !== "aFChunk") {
        const drawing = await readDrawing(this.#parts, part, id);
        if (drawing) drawings.set(id, drawing);
        continue;
      }
      const bytes = this.#parts.get(target);
      const item = bytes && (await insertedItem(bytes, this.#depth));
      if (item) documents.set(id, item);
    }
    return { drawings, documents };
  }

  /** Adds the headers or footers of all sections, each line once. */
  async #readHeaders(kind: "header" | "footer", sections: readonly Section[]): Promise<void> {
    const lines = new Set<string>();
    const targets = new Map(this.#relationships.map(({ id, target }) => [id, target]));
    for (const id of shownHeaders(kind, sections, this.#hasEvenPages())) {
      const items: Item[] = [];
      await this.#readPart(targets.get(id) ?? "", this.#document, { add: (item) => items.push(item) });
      for (const line of items.flatMap(linesOf)) lines.add(line.trim());
    }
    const text = [...lines].filter((line) => /[\p{L}\p{N}]/u.test(line)).join("\n");
    if (text) this.#document.builder.add("paragraph", `${kind === "header" ? "Header" : "Footer"}: ${text}`);
  }

  #hasEvenPages(): boolean {
    let hasEvenPages = false;
    const bytes = this.#bytesOf("settings");
    if (bytes) {
      readXml(bytes, {
        open: (name, attributes) => {
          if (name === "evenAndOddHeaders") hasEvenPages = isOn(attributes);
        },
      });
    }
    return hasEvenPages;
  }
}

/** Headers that are on some page; a section without one has that of the section before. */
function shownHeaders(kind: string, sections: readonly Section[], hasEvenPages: boolean): Set<string> {
  const current = new Map<string, string>();
  const shown = new Set<string>();
  for (const { references, hasFirstPage } of sections) {
    for (const [key, id] of references) current.set(key, id);
    const types = ["default", ...(hasFirstPage ? ["first"] : []), ...(hasEvenPages ? ["even"] : [])];
    for (const type of types) shown.add(current.get(`${kind} ${type}`) ?? "");
  }
  return shown;
}

/** Reads the parts of a Word file. */
export async function readWord(parts: Parts, builder: DocumentBuilder, depth = 0): Promise<void> {
  await new Reader(parts, builder, depth).read();
}
