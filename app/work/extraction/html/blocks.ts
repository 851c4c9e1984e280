import { cleanText, type DocumentBuilder, seemsHeader } from "../document-builder";
import { flatText, isBlock, isElement, isSilent, isText, nameOf, walk } from "./walk";

interface List {
  ordered: boolean;
  items: number;
}

class BlockWriter {
  readonly #builder: DocumentBuilder;
  readonly #page: number | undefined;
  #inline: string[] = [];
  readonly #lists: List[] = [];
  /** Prefix of the next list line: a bullet or spaces. */
  #marker = "";
  #lines: string[] = [];
  #quotes = 0;

  constructor(builder: DocumentBuilder, page: number | undefined) {
    this.#builder = builder;
    this.#page = page;
  }

  enter(node: Node): boolean {
    if (this.#builder.isFull || isSilent(node)) return false;
    if (isText(node)) this.#inline.push((node.nodeValue ?? "").replace(/\s+/g, " "));
    if (!isElement(node)) return !isText(node);
    const name = nameOf(node);
    if (name === "BR") this.#inline.push("\n");
    if (isBlock(name)) this.#endParagraph();
    if (/^H[1-6]$/.test(name)) return this.#heading(node, Number(name[1]));
    if (name === "PRE") return this.#code(node);
    if (name === "TABLE") return this.#table(node);
    if (name === "BLOCKQUOTE") this.#quotes += 1;
    if (name === "UL" || name === "OL" || name === "DL") this.#openList(name === "OL");
    if (name === "LI" || name === "DT") this.#openItem();
    return true;
  }

  leave(node: Node): void {
    const name = nameOf(node);
    if (isBlock(name)) this.#endParagraph();
    if (name === "BLOCKQUOTE") this.#quotes -= 1;
    if (name === "UL" || name === "OL" || name === "DL") {
      this.#lists.pop();
      if (this.#lists.length === 0) this.#endList();
    }
  }

  finish(): void {
    this.#endParagraph();
    this.#endList();
  }

  #facts() {
    return this.#page === undefined ? {} : { page: this.#page };
  }

  #endParagraph(): void {
    if (this.#inline.length === 0) return;
    const lines = cleanText(this.#inline.join("")).split("\n");
    const text = lines
      .map((line) => line.replace(/\s+/g, " ").trim())
      .filter(Boolean)
      .join("\n");
    this.#inline = [];
    if (!text) return;
    if (this.#lists.length === 0) {
      this.#builder.add(this.#quotes > 0 ? "quote" : "paragraph", text, this.#facts());
      return;
    }
    for (const line of text.split("\n")) {
      this.#lines.push(this.#marker + line);
      this.#marker = " ".repeat(this.#marker.length);
    }
  }

  #endList(): void {
    this.#builder.add("list", this.#lines.join("\n"), this.#facts());
    this.#lines = [];
  }

  #openList(ordered: boolean): void {
    this.#lists.push({ ordered, items: 0 });
  }

  #openItem(): void {
    // Some pages have items without a list.
    if (this.#lists.length === 0) this.#openList(false);
    const list = this.#lists.at(-1);
    if (!list) return;
    list.items += 1;
    // The depth is untrusted.
    const indent = "  ".repeat(Math.min(this.#lists.length - 1, 8));
    this.#marker = indent + (list.ordered ? `${list.items}. ` : "- ");
  }

  #heading(node: Element, level: number): false {
    this.#endList();
    this.#builder.heading(level, flatText(node), this.#page);
    return false;
  }

  #code(node: Element): false {
    this.#endList();
    this.#builder.add("code", flatText(node, true), this.#facts());
    return false;
  }

  /** @returns whether to visit the children, as of a layout table */
  #table(node: Element): boolean {
    const table = readTable(node);
    if (!table) return true;
    this.#endList();
    this.#builder.add("paragraph", table.caption.replace(/\s+/g, " "), this.#facts());
    this.#builder.table(table.rows, { header: table.header, ...this.#facts() });
    return false;
  }
}

export function addHtml(builder: DocumentBuilder, root: Node, page?: number): void {
  const writer = new BlockWriter(builder, page);
  walk(
    root,
    (node) => writer.enter(node),
    (node) => writer.leave(node),
  );
  writer.finish();
}

/** In characters; a longer cell is page layout, not data. */
const MAX_CELL_LENGTH = 2_000;

interface HtmlTable {
  rows: string[][];
  header: boolean;
  caption: string;
}

/** @returns undefined for a layout table: nested, with one cell, or with an overlong one */
function readTable(table: Element): HtmlTable | undefined {
  const rows: string[][] = [];
  let headings = 0;
  let caption = "";
  let isLayout = false;
  let cell: "none" | "caption" | "cell" = "none";
  const write = (text: string) => {
    const row = rows.at(-1);
    if (cell === "caption") caption += text;
    else if (cell === "cell" && row) {
      row[row.length - 1] += text;
      if ((row.at(-1)?.length ?? 0) > MAX_CELL_LENGTH) isLayout = true;
    }
  };
  walk(
    table,
    (node) => {
      const name = nameOf(node);
      if (name === "TABLE" && node !== table) isLayout = true;
      if (isLayout || isSilent(node)) return false;
      if (isText(node)) write(node.nodeValue ?? "");
      else if (isBlock(name) || name === "BR") write(" ");
      if (name === "CAPTION") cell = "caption";
      if (name === "TR") rows.push([]);
      if (name === "TD" || name === "TH") {
        if (name === "TH" && rows.length <= 1) headings += 1;
        if (rows.length === 0) rows.push([]);
        rows.at(-1)?.push("");
        cell = "cell";
      }
      return true;
    },
    (node) => {
      if (isBlock(nameOf(node))) write(" ");
      if (/^(?:TD|TH|CAPTION)$/.test(nameOf(node))) cell = "none";
    },
  );
  const [first] = rows;
  if (isLayout || !first || (rows.length === 1 && first.length <= 1)) return undefined;
  return { rows, header: headings > 1 ? headings === first.length : seemsHeader(rows), caption };
}
