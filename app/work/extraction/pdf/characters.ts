import type { Pdf } from "./pdfium";

/**
 * A character on its page. Lengths are in points, in the direction of its text: `x` to `right` along the line, `y`
 * upwards. So turned and vertical text is like any other.
 */
export interface Character {
  text: string;
  x: number;
  right: number;
  y: number;
  size: number;
  font: string;
  /** PDFium's text object: what was drawn at once. */
  object: number;
  /** Whether it is a whole value of a form field. */
  isField?: boolean;
  /** Text of different directions doesn't share a line. */
  direction: Direction;
}

/** In degrees against the clock; vertical text goes down and its lines go left. */
export type Direction = 0 | 90 | 180 | 270 | "vertical";

export interface Box {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

/** A page's text, and what it shows besides. */
export interface PageText {
  characters: Character[];
  box: Box;
  /** Whether anything is drawn at all. */
  isDrawn: boolean;
  /** Whether one picture covers half of it. */
  hasLargePicture: boolean;
  /** Whether most characters are guessed, since their fonts don't say what they draw. */
  isGuessed: boolean;
}

/** What the characters of a text object have in common. */
interface Style {
  size: number;
  font: string;
  object: number;
  direction: Direction;
}

const TEXT_OBJECT = 1;
const IMAGE_OBJECT = 3;
/** Objects beyond these are drawn, but not looked at. */
const MAX_OBJECTS = 200_000;
/** In points. PDFium drops text below it, such as vertical text of a font that isn't embedded: slanting widens it. */
const NO_WIDTH = 0.01;

const boxOf = ([left = 0, bottom = 0, right = 0, top = 0]: number[]): Box => ({
  left: Math.min(left, right),
  right: Math.max(left, right),
  bottom: Math.min(bottom, top),
  top: Math.max(bottom, top),
});

function readBounds(pdf: Pdf, object: number): Box {
  return boxOf(
    pdf.readNumbers(4, 4, (at) => pdf.call.FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12)),
  );
}

/** A rectangle as PDFium has it in memory: left, top, right, bottom. */
export function readRectangle(pdf: Pdf, write: (address: number) => void): Box {
  const [left = 0, top = 0, right = 0, bottom = 0] = pdf.readNumbers(4, 4, write);
  return boxOf([left, bottom, right, top]);
}

function readObjects(pdf: Pdf, page: number, area: number): Pick<PageText, "isDrawn" | "hasLargePicture"> {
  const { call } = pdf;
  const count = call.FPDFPage_CountObjects(page);
  let hasLargePicture = false;
  for (let at = 0; at < Math.min(count, MAX_OBJECTS); at++) {
    const object = call.FPDFPage_GetObject(page, at);
    const type = call.FPDFPageObj_GetType(object);
    if (type !== TEXT_OBJECT && type !== IMAGE_OBJECT) continue;
    const { left, right, bottom, top } = readBounds(pdf, object);
    if (type === IMAGE_OBJECT) hasLargePicture ||= (right - left) * (top - bottom) > area / 2;
    else if (right - left < NO_WIDTH && top - bottom > NO_WIDTH)
      call.FPDFPageObj_Transform(object, 1, 0, (2 * NO_WIDTH) / (top - bottom), 1, 0, 0);
  }
  return { isDrawn: count > 0, hasLargePicture };
}

function directionOf(a: number, b: number, goesDown: boolean): Direction {
  if (Math.abs(b) > Math.abs(a)) return b > 0 ? 90 : 270;
  if (a < 0) return 180;
  return goesDown ? "vertical" : 0;
}

/** Places a character's box and origin along its line. */
function place(box: Box, y: number, x: number, direction: Direction): Pick<Character, "x" | "right" | "y"> {
  switch (direction) {
    case 0:
      return { x: box.left, right: box.right, y };
    case 90:
      return { x: box.bottom, right: box.top, y: -x };
    case 180:
      return { x: -box.right, right: -box.left, y: -y };
    case 270:
      return { x: -box.top, right: -box.bottom, y: x };
    case "vertical":
      return { x: -box.top, right: -box.bottom, y: (box.left + box.right) / 2 };
  }
}

/** Font names of subsets begin with six letters and a plus. */
const SUBSET = /^[A-Z]{6}\+/;

class TextReader {
  readonly #pdf: Pdf;
  readonly #text: number;
  readonly #fonts = new Map<number, string>();
  #guessed = 0;
  #style: Style = { size: 1, font: "", object: 0, direction: 0 };

  constructor(pdf: Pdf, text: number) {
    this.#pdf = pdf;
    this.#text = text;
  }

  /** Number of characters that were read without being known. */
  get guessed(): number {
    return this.#guessed;
  }

  /** @param last whose place a space that PDFium added takes */
  read(at: number, last: Character | undefined): Character | undefined {
    const { call } = this.#pdf;
    const text = this.#textAt(at);
    if (call.FPDFText_IsGenerated(this.#text, at) === 1)
      return last && text.trim() === "" ? { ...last, text, x: last.right } : undefined;
    const object = call.FPDFText_GetTextObject(this.#text, at);
    if (object !== this.#style.object) this.#style = this.#readStyle(at, object);
    if (call.FPDFText_HasUnicodeMapError(this.#text, at) === 1) this.#guessed += 1;
    const [x = 0, y = 0] = this.#origin(at);
    return { text, ...place(this.#box(at), y, x, this.#style.direction), ...this.#style };
  }

  #textAt(at: number): string {
    const { call } = this.#pdf;
    // PDFium marks hyphens at the end of a line.
    if (call.FPDFText_IsHyphen(this.#text, at) === 1) return "-";
    return String.fromCodePoint(call.FPDFText_GetUnicode(this.#text, at) % 0x110000);
  }

  #origin(at: number): number[] {
    const { call } = this.#pdf;
    return this.#pdf.readNumbers(2, 8, (out) => call.FPDFText_GetCharOrigin(this.#text, at, out, out + 8));
  }

  #box(at: number): Box {
    return readRectangle(this.#pdf, (out) => this.#pdf.call.FPDFText_GetLooseCharBox(this.#text, at, out));
  }

  #readStyle(at: number, object: number): Style {
    const { call } = this.#pdf;
    const [a = 1, b = 0, c = 0, d = 1] = this.#pdf.readNumbers(4, 4, (out) =>
      call.FPDFText_GetMatrix(this.#text, at, out),
    );
    const size = call.FPDFText_GetFontSize(this.#text, at) * Math.hypot(c, d);
    return {
      size,
      font: this.#fontName(object),
      object,
      direction: directionOf(a, b, this.#goesDown(at, object, size)),
    };
  }

  #goesDown(at: number, object: number, size: number): boolean {
    if (this.#pdf.call.FPDFText_GetTextObject(this.#text, at + 1) !== object) return false;
    const [[x = 0, y = 0], [nextX = 0, nextY = 0]] = [this.#origin(at), this.#origin(at + 1)];
    return Math.abs(nextX - x) < size * 0.6 && y - nextY > size * 0.6;
  }

  #fontName(object: number): string {
    const { call } = this.#pdf;
    const font = call.FPDFTextObj_GetFont(object);
    const known = this.#fonts.get(font);
    if (known !== undefined) return known;
    const name = this.#pdf
      .readLatin((buffer, size) => call.FPDFFont_GetBaseFontName(font, buffer, size))
      .replace(SUBSET, "");
    this.#fonts.set(font, name);
    return name;
  }
}

/**
 * Reads a page's characters in PDFium's order, in which doubled ones and spaces between words are settled.
 * @param max characters at most
 */
export function readPageText(pdf: Pdf, page: number, max: number): PageText {
  const { call } = pdf;
  const box = readRectangle(pdf, (out) => call.FPDF_GetPageBoundingBox(page, out));
  const drawn = readObjects(pdf, page, (box.right - box.left) * (box.top - box.bottom));
  const text = call.FPDFText_LoadPage(page);
  const reader = new TextReader(pdf, text);
  const characters: Character[] = [];
  const count = Math.min(call.FPDFText_CountChars(text), max);
  for (let at = 0; at < count; at++) {
    const character = reader.read(at, characters.at(-1));
    if (character) characters.push(character);
  }
  call.FPDFText_ClosePage(text);
  return { characters, box, ...drawn, isGuessed: reader.guessed > characters.length / 2 };
}
