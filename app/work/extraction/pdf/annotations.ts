import { oneLine, shortText } from "../document-builder";
import { type Box, type Character, readRectangle } from "./characters";
import type { Pdf } from "./pdfium";

/** A form field's value on its page. */
export interface Field {
  text: string;
  /** For those who can't see the page; may be empty. */
  label: string;
  box: Box;
}

export interface Annotations {
  fields: Field[];
  /** What people wrote on the page, each with its author. */
  notes: string[];
  /** Files pinned to the page. */
  attachments: number;
}

const MAX_ANNOTATIONS = 5_000;
const MAX_OPTIONS = 1_000;
/** In characters. */
const MAX_VALUE = 20_000;

// PDFium's fpdf_annot.h and fpdf_formfill.h name them FPDF_ANNOT_… and FPDF_FORMFIELD_….
const LINK = 2;
const FREE_TEXT = 3;
const STAMP = 13;
const POPUP = 16;
const FILE = 17;
const WIDGET = 20;
const CHECK_BOX = 2;
const RADIO_BUTTON = 3;
const COMBO_BOX = 4;
const LIST_BOX = 5;
const TEXT_FIELD = 6;
const HIDDEN = 2 | 32;
const PASSWORD_FIELD = 1 << 13;

/** Names that programs make up, such as `Text1` or `topmostSubform[0].f1_01[0]`, tell nothing. */
const TELLING_NAME = /^\p{L}[\p{L} _-]{2,60}$/u;

class FieldReader {
  readonly #pdf: Pdf;
  readonly #annotation: number;

  constructor(pdf: Pdf, annotation: number) {
    this.#pdf = pdf;
    this.#annotation = annotation;
  }

  /** Undefined for what has no value: buttons, signatures, empty fields. */
  read(): Field | undefined {
    const text = oneLine(this.#value()).slice(0, MAX_VALUE);
    if (!text) return undefined;
    const box = readRectangle(this.#pdf, (out) => this.#pdf.call.FPDFAnnot_GetRect(this.#annotation, out));
    return { text, label: this.#label(), box };
  }

  #value(): string {
    const { call, form } = this.#pdf;
    const type = call.FPDFAnnot_GetFormFieldType(form, this.#annotation);
    if (type === CHECK_BOX || type === RADIO_BUTTON)
      return call.FPDFAnnot_IsChecked(form, this.#annotation) === 1 ? "☒" : "☐";
    if (type === COMBO_BOX || type === LIST_BOX) return this.#selected().join(", ") || this.#text();
    // A field that the form doesn't list has its value all the same.
    if (type === TEXT_FIELD || type <= 0) return this.#text();
    return "";
  }

  #text(): string {
    const { call, form } = this.#pdf;
    if ((call.FPDFAnnot_GetFormFieldFlags(form, this.#annotation) & PASSWORD_FIELD) !== 0) return "";
    const value = this.#pdf.readText((buffer, size) =>
      call.FPDFAnnot_GetFormFieldValue(form, this.#annotation, buffer, size),
    );
    return value || this.#pdf.annotationText(this.#annotation, "V");
  }

  #selected(): string[] {
    const { call, form } = this.#pdf;
    const count = Math.min(call.FPDFAnnot_GetOptionCount(form, this.#annotation), MAX_OPTIONS);
    const selected: string[] = [];
    for (let at = 0; at < count; at++) {
      if (call.FPDFAnnot_IsOptionSelected(form, this.#annotation, at) === 1)
        selected.push(
          this.#pdf.readText((buffer, size) =>
            call.FPDFAnnot_GetOptionLabel(form, this.#annotation, at, buffer, size),
          ),
        );
    }
    return selected;
  }

  #label(): string {
    const { call, form } = this.#pdf;
    const [alternate, name] = [call.FPDFAnnot_GetFormFieldAlternateName, call.FPDFAnnot_GetFormFieldName].map(
      (read) => shortText(this.#pdf.readText((buffer, size) => read(form, this.#annotation, buffer, size))),
    );
    return alternate || (TELLING_NAME.test(name ?? "") ? (name ?? "") : "");
  }
}

function readNote(pdf: Pdf, annotation: number, type: number): string {
  const text = oneLine(pdf.annotationText(annotation, "Contents")).slice(0, MAX_VALUE);
  if (type === FREE_TEXT) return text;
  const stamp = type === STAMP && !text ? oneLine(pdf.annotationText(annotation, "Name")) : "";
  if (stamp) return `Stamp: ${shortText(stamp)}`;
  const author = shortText(pdf.annotationText(annotation, "T"), 100);
  return text && `Note${author ? ` (${author})` : ""}: ${text}`;
}

export function readAnnotations(pdf: Pdf, page: number): Annotations {
  const { call } = pdf;
  const found: Annotations = { fields: [], notes: [], attachments: 0 };
  const count = Math.min(call.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS);
  for (let at = 0; at < count; at++) {
    const annotation = call.FPDFPage_GetAnnot(page, at);
    if (annotation === 0) continue;
    const type = call.FPDFAnnot_GetSubtype(annotation);
    if (type === FILE) found.attachments += 1;
    if ((call.FPDFAnnot_GetFlags(annotation) & HIDDEN) === 0 && type !== LINK && type !== POPUP) {
      const field = type === WIDGET ? new FieldReader(pdf, annotation).read() : undefined;
      const note = type === WIDGET ? "" : readNote(pdf, annotation, type);
      if (field) found.fields.push(field);
      if (note) found.notes.push(note);
    }
    call.FPDFPage_CloseAnnot(annotation);
  }
  return found;
}

/** Height of a line within a field of several, and its usual font size, in points. */
const FIELD_SIZE = 10;

/** Weight of a height that differs: a label stands beside its field, or else above it. */
const HEIGHT_WEIGHT = 100;
/** Maximum difference of heights, in font sizes. */
const MAX_HEIGHT = 1.5;

/** Distance of a field to a piece of a line; undefined for lines at another height. */
function distanceTo(line: readonly Character[], field: Character, box: Box): number | undefined {
  const [first] = line;
  const last = line.at(-1);
  if (!first || !last || first.direction !== 0) return undefined;
  const height = Math.max(0, box.bottom - first.y, first.y - (box.top - field.size * 0.5));
  if (height > field.size * MAX_HEIGHT) return undefined;
  return Math.max(0, field.x - last.right, first.x - field.right) + height * HEIGHT_WEIGHT;
}

function insertInLine(line: Character[], field: Character): void {
  const [first] = line;
  const at = line.findIndex(({ x }) => x >= field.x);
  line.splice(at < 0 ? line.length : at, 0, { ...field, y: first?.y ?? field.y });
}

/** Puts the values of fields where a reader of the page sees them: beside the text at their height. */
export function insertFields(lines: Character[][], fields: readonly Field[]): void {
  for (const { text, label, box } of fields) {
    const height = box.top - box.bottom;
    const size = Math.min(FIELD_SIZE, height || FIELD_SIZE);
    const field: Character = {
      text,
      x: box.left,
      right: box.right,
      y: box.top - size,
      size,
      font: "",
      object: 0,
      direction: 0,
      isField: true,
    };
    let nearest: { line: Character[]; distance: number } | undefined;
    for (const line of lines) {
      const distance = distanceTo(line, field, box);
      if (distance !== undefined && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY))
        nearest = { line, distance };
    }
    if (nearest && (nearest.distance < field.size * HEIGHT_WEIGHT * 0.5 || !label))
      insertInLine(nearest.line, field);
    else {
      const below = lines.findIndex(([first]) => first && first.y < box.top - size);
      const whole = { ...field, text: label ? `${label}: ${text}` : text };
      lines.splice(below < 0 ? lines.length : below, 0, [whole]);
    }
  }
}
