import { type DocumentBuilder, seemsHeader } from "../document-builder";

const MAX_INDENT = 8;

/** Collects the paragraphs, lists and tables of a file's main text. */
export class RtfBody {
  /** Text of the open paragraph. */
  text = "";
  /** Bullet or number of the open paragraph, as the program that saved the file showed it. */
  marker = "";
  readonly #builder: DocumentBuilder;
  /** Levels of headings by the number of their style. */
  readonly #styles = new Map<number, number>();
  #style = { number: 0, level: 0 };
  #level = 0;
  #isListed = false;
  #indent = 0;
  #inTable = false;
  #cell: string[] = [];
  #row: string[] = [];
  #rows: string[][] = [];
  #header = false;
  /** Columns of the row that are merged with those above. */
  #merged: boolean[] = [];
  #isMerged = false;
  #lines: string[] = [];
  /** Notes, comments and boxes of the open paragraph, list or table; they follow it. */
  #after: string[] = [];

  constructor(builder: DocumentBuilder) {
    this.#builder = builder;
  }

  setStyle(word: string, value = 0): void {
    if (word === "s") this.#style = { number: value, level: 0 };
    else if (word === "outlinelevel" && value < 9) this.#style.level = value + 1;
  }

  /** Ends the description of a style in the file's head. */
  nameStyle(name: string): void {
    const [, digit] = /^heading (\d)/i.exec(name) ?? [];
    const level = digit ? Number(digit) : /^title$/i.test(name) ? 1 : this.#style.level;
    if (level > 0) this.#styles.set(this.#style.number, level);
    this.#style = { number: 0, level: 0 };
  }

  follow(text: string): void {
    if (text.trim()) this.#after.push(text);
  }

  word(word: string, value: number | undefined): void {
    if (word === "par" || word === "sect" || word === "page" || word === "column") this.#closeParagraph();
    else if (word === "pard") {
      [this.#level, this.#isListed, this.#indent, this.#inTable] = [0, false, 0, false];
    } else if (word === "s") this.#level = this.#styles.get(value ?? 0) ?? 0;
    else if (word === "outlinelevel") this.#level = value !== undefined && value < 9 ? value + 1 : 0;
    else if (word === "ls") this.#isListed = (value ?? 0) > 0;
    else if (word === "ilvl") this.#indent = Math.min(MAX_INDENT, Math.max(0, value ?? 0));
    else if (word === "intbl" || word === "itap") this.#inTable = value !== 0;
    else this.#tableWord(word);
  }

  #tableWord(word: string): void {
    if (word === "trowd") [this.#merged, this.#isMerged] = [[], false];
    else if (word === "clvmrg") this.#isMerged = true;
    else if (word === "cellx") {
      this.#merged.push(this.#isMerged);
      this.#isMerged = false;
    } else if (word === "trhdr") this.#header ||= this.#rows.length === 0;
    else if (word === "cell") this.#closeCell();
    else if (word === "nestcell") this.#keepLine();
    else if (word === "row") this.#closeRow();
  }

  #keepLine(): void {
    if (this.text.trim()) this.#cell.push(this.marker ? `${this.marker} ${this.text}` : this.text);
    [this.text, this.marker] = ["", ""];
  }

  #closeCell(): void {
    this.#endList();
    this.#keepLine();
    this.#row.push(this.#cell.join(" "));
    this.#cell = [];
  }

  /** A cell that is merged with the one above names the same in its own row. */
  #closeRow(): void {
    const above = this.#rows.at(-1);
    const row = this.#row.map((text, at) => text || (this.#merged[at] ? (above?.[at] ?? "") : ""));
    if (row.length > 0) this.#rows.push(row);
    this.#row = [];
  }

  #closeParagraph(): void {
    if (this.#inTable) {
      this.#keepLine();
      return;
    }
    const { text } = this;
    const marker = this.#marker();
    [this.text, this.marker] = ["", ""];
    this.#endTable();
    if (!text.trim()) return;
    if (marker && this.#level === 0) {
      this.#lines.push("  ".repeat(this.#indent) + marker + text.replace(/\s+/g, " ").trim());
      return;
    }
    this.#endList();
    if (this.#level > 0) this.#builder.heading(this.#level, (marker === "- " ? "" : marker) + text);
    else this.#builder.add("paragraph", text);
    this.#addAfter();
  }

  #marker(): string {
    if (/[\p{L}\p{N}]/u.test(this.marker)) return `${this.marker} `;
    return this.marker || this.#isListed ? "- " : "";
  }

  #endList(): void {
    if (this.#lines.length === 0) return;
    this.#builder.add("list", this.#lines.join("\n"));
    this.#lines = [];
    this.#addAfter();
  }

  #endTable(): void {
    if (this.#row.length > 0) this.#closeRow();
    if (this.#rows.length === 0) return;
    this.#builder.table(this.#rows, { header: this.#header || seemsHeader(this.#rows) });
    [this.#rows, this.#header] = [[], false];
    this.#addAfter();
  }

  #addAfter(): void {
    for (const text of this.#after.splice(0)) this.#builder.add("paragraph", text);
  }

  finish(): void {
    this.#inTable = false;
    this.#closeParagraph();
    this.#endList();
    this.#endTable();
    this.#addAfter();
  }
}
