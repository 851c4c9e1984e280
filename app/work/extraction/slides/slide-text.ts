import { type DocumentBuilder, MAX_PAGES, seemsHeader } from "../document-builder";
import { imageLine } from "../labels";
import { listNumber } from "../list-numbers";
import type { Shape, SlideParagraph } from "./slide";

/** Formats of numbers by the first part of a paragraph's scheme; its last part is what stands around the number. */
const FORMATS: Readonly<Record<string, string>> = {
  arabic: "decimal",
  alphaLc: "lowerLetter",
  alphaUc: "upperLetter",
  romanLc: "lowerRoman",
  romanUc: "upperRoman",
  arabicDb: "decimalFullWidth",
  circleNumDb: "decimalEnclosedCircle",
  circleNumWdBlack: "decimalEnclosedCircle",
  circleNumWdWhite: "decimalEnclosedCircle",
  ea1Chs: "chineseCounting",
  ea1Cht: "taiwaneseCounting",
  ea1JpnKor: "japaneseCounting",
  hebrew2: "hebrew2",
  hindiNum: "hindiNumbers",
  thaiAlpha: "thaiLetters",
  thaiNum: "thaiNumbers",
};
const ENDINGS: Readonly<Record<string, string>> = { Minus: "-", ParenR: ")", Plain: "" };

function numberOf(scheme: string, number: number): string {
  const [, style = "", frame = ""] = /^(.*?)(Period|ParenR|ParenBoth|Plain|Minus)?$/.exec(scheme) ?? [];
  const text = listNumber(number, FORMATS[style] ?? "decimal");
  return frame === "ParenBoth" ? `(${text})` : text + (ENDINGS[frame] ?? ".");
}

export const linesOf = ({ paragraphs }: Shape) => paragraphs.map(({ text }) => text.trim());

/** Counts the numbered paragraphs of a box: each level on its own, until one of a lower level ends it. */
class Numbers {
  readonly #levels: { scheme: string; number: number }[] = [];

  markerOf({ bullet, level }: SlideParagraph, isList: boolean): string {
    if (typeof bullet !== "object") {
      this.#levels.length = Math.min(this.#levels.length, level);
      return bullet === "bullet" || (bullet === "inherited" && isList) ? "- " : "";
    }
    const last = this.#levels[level];
    const number = last?.scheme === bullet.scheme ? last.number + 1 : bullet.start;
    this.#levels.length = Math.min(this.#levels.length, level + 1);
    this.#levels[level] = { scheme: bullet.scheme, number };
    return `${numberOf(bullet.scheme, number)} `;
  }
}

/** Adds the text of a box: a list if its paragraphs have bullets or numbers. */
function addParagraphs(builder: DocumentBuilder, shape: Shape, page: number): void {
  // Placeholders inherit bullets from their layout.
  const isList = shape.role !== "" && shape.role !== "subTitle" && shape.paragraphs.length > 1;
  const numbers = new Numbers();
  const items = shape.paragraphs.map((paragraph) => ({
    ...paragraph,
    marker: numbers.markerOf(paragraph, isList),
  }));
  if (items.every(({ marker }) => marker === "")) {
    builder.add("paragraph", linesOf(shape).join("\n"), { page });
    return;
  }
  const lines = items.map(
    ({ text, level, marker }) => "  ".repeat(level) + marker + text.trim().replaceAll("\n", " "),
  );
  builder.add("list", lines.join("\n"), { page });
}

export const isEmpty = ({ paragraphs, rows, drawing, alt }: Shape) =>
  paragraphs.length === 0 && rows.length === 0 && drawing === "" && alt === "";

/** Adds a shape's text, table and alternative text. */
export function addShape(builder: DocumentBuilder, shape: Shape, page: number): void {
  builder.table(shape.rows, { page, header: seemsHeader(shape.rows) });
  addParagraphs(builder, shape, page);
  if (shape.alt && !linesOf(shape).includes(shape.alt))
    builder.add("paragraph", imageLine(shape.alt), { page });
}

export function countMedia(builder: DocumentBuilder, { media, alt }: Pick<Shape, "media" | "alt">): void {
  if (media === "image" && !alt) builder.leaveOut("image", "images");
  if (media === "video") builder.leaveOut("video or sound", "videos and sounds");
  if (media === "object") builder.leaveOut("embedded object", "embedded objects");
}

/** Hidden slides whose numbers are listed. */
const MAX_LISTED = 20;

export function noteHidden(builder: DocumentBuilder, numbers: readonly number[]): void {
  const more = numbers.length > MAX_LISTED ? " and others" : "";
  const listed = numbers.slice(0, MAX_LISTED).join(", ");
  if (listed) builder.note(`Hidden slides were read, too: ${listed}${more}.`);
}

export function noteCut(builder: DocumentBuilder, slides: number): void {
  if (slides > MAX_PAGES) builder.note(`Only the first ${MAX_PAGES.toLocaleString("en")} slides were read.`);
}
