import { cleanText, type DocumentBuilder, seemsHeader } from "../document-builder";
import { altText, flatText, isBlock, isElement, isSilent, isText, nameOf, ownText, walk } from "./walk";

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
    this.#inline.push(ownText(node).replace(/\s+/g, " "));
    if (!isElement(node)) return !isText(node);
    const name = nameOf(node);
    if (name === "IMG" && isPictureWithoutText(node)) this.#builder.leaveOut("image", "images");
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

/** In pixels; smaller images are signs. */
const MIN_PICTURE = 33;

/** An empty text says that the picture is decoration. */
function isPictureWithoutText(image: Element): boolean {
  if (altText(image) || image.getAttribute("alt")?.trim() === "") return false;
  return ["width", "height"].every((side) => Number(image.getAttribute(side) ?? MIN_PICTURE) >= MIN_PICTURE);
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
  const rows: Cell[][] = [];
  let headings = 0;
  let caption = "";
  let isLayout = false;
  let cell: "none" | "caption" | "cell" = "none";
  const write = (text: string) => {
    const row = rows.at(-1);
    if (cell === "caption") caption += text;
    else if (cell === "cell" && row) {
      const last = row.at(-1);
      if (last) last.text += text;
      if ((last?.text.length ?? 0) > MAX_CELL_LENGTH) isLayout = true;
    }
  };
  walk(
    table,
    (node) => {
      const name = nameOf(node);
      if (name === "TABLE" && node !== table) isLayout = true;
      if (isLayout || isSilent(node)) return false;
      write(ownText(node));
      if (isBlock(name) || name === "BR") write(" ");
      if (name === "CAPTION") cell = "caption";
      if (name === "TR") rows.push([]);
      if (name === "TD" || name === "TH") {
        if (name === "TH" && rows.length <= 1) headings += 1;
        if (rows.length === 0) rows.push([]);
        const [down, across] = ["rowspan", "colspan"].map((span) => spanOf(node, span));
        rows.at(-1)?.push({ text: "", down: down ?? 1, across: across ?? 1 });
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
  const lines = layOut(rows);
  return { rows: lines, header: headings > 1 ? headings === first.length : seemsHeader(lines), caption };
}

interface Cell {
  text: string;
  /** Rows and columns that it spans. */
  down: number;
  across: number;
}

/** Of columns, or of rows as in the HTML standard. */
const MAX_SPAN = { rowspan: 65_534, colspan: 100 };

function spanOf(node: Node, name: string): number {
  const value = isElement(node) ? Number.parseInt(node.getAttribute(name) ?? "", 10) : 1;
  return Math.min(Math.max(1, value || 1), name === "rowspan" ? MAX_SPAN.rowspan : MAX_SPAN.colspan);
}

/** In cells and their characters, which a cell of many rows would multiply; what is beyond isn't repeated. */
const MAX_REPEATED = 1_000_000;

/** Names a cell in every row that it spans, and keeps the columns of the others. */
function layOut(rows: readonly (readonly Cell[])[]): string[][] {
  const above: { text: string; left: number }[] = [];
  let room = MAX_REPEATED;
  return rows.map((cells) => {
    const line: string[] = [];
    const repeat = () => {
      for (let cell = above[line.length]; room > 0 && cell?.left; cell = above[line.length]) {
        cell.left -= 1;
        room -= cell.text.length + 1;
        line.push(cell.text);
      }
    };
    for (const { text, down, across } of cells) {
      repeat();
      for (let at = 0; at === 0 || (at < across && room > 0); at++) {
        const own = at === 0 ? text : "";
        if (down > 1) above[line.length] = { text: own, left: down - 1 };
        line.push(own);
        room -= 1;
      }
    }
    repeat();
    return line;
  });
}
