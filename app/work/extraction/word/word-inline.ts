import { commentLabel } from "../labels";
import { listNumber } from "../list-numbers";
import { Fields } from "./word-fields";
import { Flow, type WordDocument } from "./word-flow";
import { paragraphItem, type Sink } from "./word-items";
import { symbolFrom, unicodeOf } from "./word-symbols";

interface Run {
  isHidden: boolean | undefined;
  font: string;
}

const plainRun = (): Run => ({ isHidden: undefined, font: "" });

/** What a text box within a run interrupts. */
interface Interrupted {
  fields: number;
  run: Run;
  inReading: boolean;
}

/** The text of the open paragraph: runs, fields, readings, and references to notes. */
export class Inline {
  readonly flow: Flow;
  readonly fields = new Fields();
  /** Counts texts and drawings, so that one sees whether an element had any. */
  produced = 0;
  /** Characters so far. */
  length = 0;
  inReading = false;
  readonly #document: WordDocument;
  readonly #boxes: Interrupted[] = [];
  readonly #labels = { footnote: 0, endnote: 0 };
  #run = plainRun();
  #wasHidden = false;

  constructor(document: WordDocument, sink: Sink) {
    this.#document = document;
    this.flow = new Flow(document, sink);
  }

  openRun(): void {
    this.#run = plainRun();
  }

  setStyle(id: string): void {
    const { isHidden, font } = this.#document.styles.character(id);
    this.#run.isHidden ??= isHidden;
    if (font) this.#run.font = font;
  }

  setHidden(isHidden: boolean): void {
    this.#run.isHidden = isHidden;
  }

  setFont(font: string | undefined): void {
    if (font) this.#run.font = font;
  }

  /** Writes text in the run's font. */
  writeLetters(text: string): void {
    this.write(unicodeOf(text, this.#run.font));
  }

  writeSymbol(code: string, font: string): void {
    const symbol = symbolFrom(code, font);
    if (symbol === undefined) this.#document.builder.leaveOut("unknown symbol", "unknown symbols");
    else this.write(symbol);
  }

  write(text: string): void {
    if (!text || this.fields.isMuted) return;
    const { paragraph } = this.flow;
    const hasText = /\S/.test(text);
    if (this.#isHidden) {
      if (paragraph) paragraph.hasHidden = true;
      const isNew = hasText && !this.#wasHidden;
      if (isNew) this.#document.builder.leaveOut("passage of hidden text", "passages of hidden text");
      this.#wasHidden ||= hasText;
      return;
    }
    this.length += text.length;
    if (hasText) {
      this.#wasHidden = false;
      this.produced += 1;
    }
    if (!paragraph) this.flow.add(paragraphItem(text));
    else if (this.inReading) paragraph.writeReading(text);
    else {
      paragraph.write(text);
      paragraph.inContents ||= this.fields.isContents;
    }
  }

  beginResult(): void {
    const code = this.fields.separate();
    const { paragraph } = this.flow;
    if (paragraph && this.fields.isContents && /^\s*PAGEREF\b/i.test(code)) paragraph.hasPageReference = true;
  }

  endField(): void {
    const { text, isPageNumber } = this.fields.end();
    if (isPageNumber) this.flow.paragraph?.endPageNumber();
    this.write(text);
  }

  openBox(): void {
    this.#boxes.push({ fields: this.fields.depth, run: this.#run, inReading: this.inReading });
    this.#run = plainRun();
    this.inReading = false;
    this.flow.openBox();
  }

  closeBox(): void {
    const { fields, run, inReading } = this.#boxes.pop() ?? { fields: 0, run: plainRun(), inReading: false };
    this.fields.closeTo(fields);
    this.#run = run;
    this.inReading = inReading;
    this.flow.closeContainer();
  }

  /** @param hasOwnMark whether the mark is text that follows instead of a number */
  refer(kind: "footnote" | "endnote", id: string, hasOwnMark: boolean): void {
    const key = `${kind} ${id}`;
    const note = this.#document.notes.get(key);
    if (!note || this.fields.isMuted || this.#isHidden) return;
    this.#document.notes.delete(key);
    if (!hasOwnMark) this.#labels[kind] += 1;
    const number = listNumber(this.#labels[kind], kind === "endnote" ? "lowerRoman" : "decimal");
    const label = hasOwnMark ? "" : `[${number}]`;
    this.write(label);
    this.flow.addNote(label, note);
  }

  comment(id: string): void {
    const note = this.#document.notes.get(`comment ${id}`);
    if (!note) return;
    this.#document.notes.delete(`comment ${id}`);
    this.flow.addNote(`${commentLabel(note.author)}:`, note);
  }

  get #isHidden(): boolean {
    return this.#run.isHidden ?? this.#document.styles.paragraph(this.flow.paragraph?.style ?? "").isHidden;
  }
}
