import { cleanText } from "../../document-builder";
import { type DocFile, PAIR } from "./doc-file";
import { type Numbered, readNumbered } from "./doc-properties";

/** What a style says of its paragraphs. */
export interface DocStyle extends Numbered {
  isContents: boolean;
}

const NO_BASE = 0xfff;
/** Numbers of built-in styles. */
const [HEADING_1, HEADING_9, TOC_1, TOC_9, FIGURES, TITLE] = [1, 9, 19, 27, 35, 62];

interface OwnStyle extends DocStyle {
  base: number;
}

/** Reads one style: its number, the one that it is based on, and its paragraphs' properties. */
function readStyle(bytes: Buffer, baseLength: number): OwnStyle {
  const style: OwnStyle = {
    base: NO_BASE,
    outline: undefined,
    list: undefined,
    level: undefined,
    isContents: false,
  };
  if (bytes.length < 6) return style;
  const number = bytes.readUInt16LE(0) & 0xfff;
  style.base = bytes.readUInt16LE(2) >> 4;
  style.isContents = (number >= TOC_1 && number <= TOC_9) || number === FIGURES;
  const isParagraph = (bytes.readUInt16LE(2) & 0xf) === 1;
  const nameEnd =
    baseLength + 2 + (baseLength + 2 <= bytes.length ? bytes.readUInt16LE(baseLength) * 2 + 2 : 0);
  if (isParagraph && nameEnd + 4 <= bytes.length) {
    const length = bytes.readUInt16LE(nameEnd);
    readNumbered(bytes.subarray(nameEnd + 4, nameEnd + 2 + length), style);
  }
  if (number >= HEADING_1 && number <= HEADING_9) style.outline = number - 1;
  if (number === TITLE) style.outline = 0;
  return style;
}

/** Reads the styles, each with what it inherits. */
export function readStyles(file: DocFile): DocStyle[] {
  const bytes = file.structure(PAIR.styles);
  if (bytes.length < 6) return [];
  const own: OwnStyle[] = [];
  const baseLength = bytes.readUInt16LE(4);
  for (let at = 2 + bytes.readUInt16LE(0); at + 2 <= bytes.length && own.length < NO_BASE; ) {
    const length = bytes.readUInt16LE(at);
    own.push(readStyle(bytes.subarray(at + 2, at + 2 + length), baseLength));
    at += 2 + length + (length % 2);
  }
  return own.map((style) => {
    const whole: DocStyle = { ...style };
    const seen = new Set<OwnStyle>();
    for (let base = own[style.base]; base && !seen.has(base); base = own[base.base]) {
      seen.add(base);
      whole.outline ??= base.outline;
      whole.list ??= base.list;
      whole.level ??= base.level;
    }
    return whole;
  });
}

const LIST = 28;
const LEVEL = 28;
const OVERRIDE = 16;
const LEVELS = 9;
const MAX_LISTS = 10_000;
/** Formats of numbers as newer files name them, in the order of their numbers ([MS-OSHARED] 2.2.1.3). */
const FORMATS = (
  "decimal upperRoman lowerRoman upperLetter lowerLetter ordinal cardinalText ordinalText hex chicago " +
  "ideographDigital japaneseCounting aiueo iroha decimalFullWidth decimalHalfWidth japaneseLegal " +
  "japaneseDigitalTenThousand decimalEnclosedCircle decimalFullWidth2 aiueoFullWidth irohaFullWidth " +
  "decimalZero bullet ganada chosung decimalEnclosedFullstop decimalEnclosedParen " +
  "decimalEnclosedCircleChinese ideographEnclosedCircle ideographTraditional ideographZodiac " +
  "ideographZodiacTraditional taiwaneseCounting ideographLegalTraditional taiwaneseCountingThousand " +
  "taiwaneseDigital chineseCounting chineseLegalSimplified chineseCountingThousand decimal " +
  "koreanDigital koreanCounting koreanLegal koreanDigital2 hebrew1 arabicAlpha hebrew2 arabicAbjad " +
  "hindiVowels hindiConsonants hindiNumbers hindiCounting thaiLetters thaiNumbers thaiCounting " +
  "vietnameseCounting numberInDash russianLower russianUpper"
).split(" ");
const NO_NUMBER = 255;

const escaped = (text: string) =>
  cleanText(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/**
 * Writes a file's lists as the numbering part of a newer file, so that one reader counts both.
 * @returns its XML
 */
export function numberingOf(file: DocFile): string {
  const lists = file.structure(PAIR.lists);
  const overrides = file.structure(PAIR.listOverrides);
  if (lists.length < 2 || overrides.length < 4) return "<numbering/>";
  const count = Math.min(lists.readUInt16LE(0), Math.floor((lists.length - 2) / LIST), MAX_LISTS);
  // The levels stand behind the lists, beyond the length that the file gives.
  const levels = file.table.subarray(lists.byteOffset - file.table.byteOffset + 2 + count * LIST);
  const parts: string[] = [];
  let at = 0;
  for (let list = 0; list < count; list++) {
    const head = lists.subarray(2 + list * LIST, 2 + (list + 1) * LIST);
    const isSimple = ((head[26] ?? 0) & 1) === 1;
    parts.push(`<abstractNum w:abstractNumId="${head.readInt32LE(0)}">`);
    for (let level = 0; level < (isSimple ? 1 : LEVELS) && at + LEVEL + 2 <= levels.length; level++) {
      const { xml, length } = readLevel(levels.subarray(at), level);
      parts.push(xml);
      at += length;
    }
    parts.push("</abstractNum>");
  }
  const numbers = Math.min(
    overrides.readUInt32LE(0),
    Math.floor((overrides.length - 4) / OVERRIDE),
    MAX_LISTS,
  );
  for (let number = 0; number < numbers; number++) {
    const id = overrides.readInt32LE(4 + number * OVERRIDE);
    parts.push(`<num w:numId="${number + 1}"><abstractNumId w:val="${id}"/></num>`);
  }
  return `<numbering>${parts.join("")}</numbering>`;
}

function readLevel(bytes: Buffer, level: number): { xml: string; length: number } {
  const [start, format, flags] = [bytes.readUInt32LE(0), bytes[4] ?? 0, bytes[5] ?? 0];
  const textAt = LEVEL + (bytes[24] ?? 0) + (bytes[25] ?? 0);
  const length = textAt + 2 <= bytes.length ? bytes.readUInt16LE(textAt) : 0;
  const text = bytes.toString("utf16le", textAt + 2, textAt + 2 + length * 2);
  // Numbers of levels stand for themselves in the text.
  const shown = escaped(
    [...text].map((letter) => (letter < "\x09" ? `%${letter.charCodeAt(0) + 1}` : letter)).join(""),
  );
  const properties = [
    `<start w:val="${start}"/><numFmt w:val="${format === NO_NUMBER ? "none" : (FORMATS[format] ?? "decimal")}"/><lvlText w:val="${shown}"/>`,
    (flags & 4) !== 0 ? "<isLgl/>" : "",
    (flags & 8) !== 0 ? `<lvlRestart w:val="${bytes[26] ?? 0}"/>` : "",
    bytes[15] === 2 ? '<suff w:val="nothing"/>' : "",
  ];
  return { xml: `<lvl w:ilvl="${level}">${properties.join("")}</lvl>`, length: textAt + 2 + length * 2 };
}
