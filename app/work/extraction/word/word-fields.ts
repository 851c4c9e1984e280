import { symbolFrom } from "./word-symbols";

/** A check box or list of an old form, which has no text of its own. */
interface FormField {
  isChecked: boolean;
  options: string[];
  chosen: number;
}

interface Field {
  code: string;
  isResult: boolean;
  /** Whether its text isn't shown: page numbers, and results within another field's code. */
  isMuted: boolean;
  isContents: boolean;
  form: FormField | undefined;
}

/** In characters. */
const MAX_CODE = 2_000;
/** Fields within fields; Word allows 20. */
const MAX_DEPTH = 200;
const FORM_BOX = /^\s*FORM(?:CHECKBOX|DROPDOWN)\b/i;
const OBJECT = /^\s*(?:EMBED|LINK)\b/i;
const PAGE_NUMBER = /^\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b/i;

/** Reads the text that Word computes from a field's code, where the file has no result. */
function textOfCode(code: string): string {
  const symbol = /^\s*SYMBOL\s+(\d{1,5}|0x[\da-f]{1,4})\b(?:.{0,100}?\\f\s*"?([^"\\]{1,50}))?/i.exec(code);
  if (symbol?.[1]) return symbolFrom(Number(symbol[1]).toString(16), symbol[2]?.trim() ?? "") ?? "";
  const button = /^\s*(?:MACROBUTTON|GOTOBUTTON)\s+\S+\s+(.*)$/is.exec(code);
  if (button?.[1]) return button[1];
  const equation = /^\s*EQ\s+(.*)$/is.exec(code);
  return equation?.[1] ? textOfEquation(equation[1]) : "";
}

/** The text of an `EQ` field, which Japanese documents have for readings: `\o\ad(\s\up 9(かな),仮名)`. */
function textOfEquation(code: string): string {
  const reading = /\\o(?:\\a[a-z])?\s*\(\\s\\up\s?\d+\(([^()]*)\)[,;]([^()]*)\)/gi;
  return code
    .replace(/\\\*\s*(?:"[^"]*"|\S+)/g, "")
    .replace(reading, "$2 ($1)")
    .replace(/\\f\s*\(([^(),;]*)[,;]([^(),;]*)\)/gi, "$1/$2")
    .replace(/\\r\s*\(/gi, "√(")
    .replace(/\\[a-z]+\s?\d*/gi, "")
    .trim();
}

/** The fields that are open while a story is read; they may reach over paragraphs. */
export class Fields {
  readonly #open: Field[] = [];
  #depthBeyond = 0;

  get depth(): number {
    return this.#open.length;
  }

  /** Whether text isn't shown here. */
  get isMuted(): boolean {
    return this.#open.at(-1)?.isMuted ?? false;
  }

  /** Whether text belongs to a field's code, in files that don't mark it otherwise. */
  get isCode(): boolean {
    const field = this.#open.at(-1);
    return field !== undefined && !field.isResult;
  }

  /** Whether the field is a check box or list of a form. */
  get isFormBox(): boolean {
    return FORM_BOX.test(this.#open.at(-1)?.code ?? "");
  }

  /** Whether text belongs to the picture of an embedded or linked object. */
  get isObject(): boolean {
    return this.#open.some(({ code, isResult }) => isResult && OBJECT.test(code));
  }

  get isContents(): boolean {
    return this.#open.some(({ isContents }) => isContents);
  }

  begin(): void {
    const outer = this.#open.at(-1);
    if (this.#open.length >= MAX_DEPTH) {
      this.#depthBeyond += 1;
      return;
    }
    this.#open.push({
      code: "",
      isResult: false,
      isMuted: outer !== undefined && (outer.isMuted || !outer.isResult),
      isContents: false,
      form: undefined,
    });
  }

  addCode(text: string): void {
    const field = this.#open.at(-1);
    if (field && !field.isResult && field.code.length < MAX_CODE) field.code += text;
  }

  /** @returns the code of the field whose result begins */
  separate(): string {
    const field = this.#open.at(-1);
    if (!field || this.#depthBeyond > 0) return "";
    field.isResult = true;
    field.isContents = /^\s*TOC\b/i.test(field.code);
    field.isMuted ||= PAGE_NUMBER.test(field.code);
    return field.code;
  }

  /** @returns what the ended field shows instead of a result, and whether it was a page's number */
  end(): { text: string; isPageNumber: boolean } {
    if (this.#depthBeyond > 0) {
      this.#depthBeyond -= 1;
      return { text: "", isPageNumber: false };
    }
    const field = this.#open.pop();
    if (!field || this.isMuted) return { text: "", isPageNumber: false };
    const isPageNumber = PAGE_NUMBER.test(field.code);
    if (field.form && FORM_BOX.test(field.code)) {
      const { form } = field;
      const isBox = /FORMCHECKBOX/i.test(field.code);
      return { text: isBox ? (form.isChecked ? "☒" : "☐") : (form.options[form.chosen] ?? ""), isPageNumber };
    }
    return { text: field.isResult ? "" : textOfCode(field.code), isPageNumber };
  }

  /** The form field whose properties are read. */
  get form(): FormField | undefined {
    const field = this.#open.at(-1);
    if (!field) return undefined;
    field.form ??= { isChecked: false, options: [], chosen: 0 };
    return field.form;
  }

  /** Ends the fields that a text box left open. */
  closeTo(depth: number): void {
    if (this.#open.length > depth) this.#open.length = depth;
  }
}
