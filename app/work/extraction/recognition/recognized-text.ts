import { joinLines } from "../pdf/paragraphs";

export interface RecognizedText {
  /** Paragraphs with an empty line between them. */
  text: string;
  /** Mean confidence of all characters, from 0 to 100; 0 if there are none. */
  confidence: number;
}

interface Word {
  text: string;
  confidence: number;
  /** Block, paragraph and line. */
  paragraph: string;
  line: string;
}

/**
 * Mean confidence from which a paragraph is taken for text. Clean scans have 85 to 95, faxes and bad copies 60 to 80;
 * what is read into photos, drawings, noise and turned text has 10 to 55.
 */
const MIN_CONFIDENCE = 60;

const WIDE_SPACE = /(?<=[\u2e80-\u9fff\uff00-\uffef]) (?=[\u2e80-\u9fff\uff00-\uffef])/gu;
/** Level of the rows that are words, in the first column. */
const WORD_LEVEL = "5";

/** Words of the table that Tesseract writes, whose columns are level, page, block, paragraph, line, word, box, confidence, text. */
function* readWords(table: string): Generator<Word> {
  for (const row of table.split("\n")) {
    const [level, , block, paragraph, line, , , , , , confidence, text = ""] = row.split("\t");
    // Pictures are words of white space.
    if (level !== WORD_LEVEL || text.trim() === "") continue;
    const key = `${block} ${paragraph}`;
    yield { text: text.trim(), confidence: Number(confidence), paragraph: key, line: `${key} ${line}` };
  }
}

function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): T[][] {
  const groups: T[][] = [];
  let last: string | undefined;
  for (const item of items) {
    if (keyOf(item) !== last) groups.push([]);
    last = keyOf(item);
    groups.at(-1)?.push(item);
  }
  return groups;
}

function lengthOf(words: readonly Word[]): number {
  return words.reduce((sum, { text }) => sum + text.length, 0);
}

function confidenceOf(words: readonly Word[]): number {
  return words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0) / lengthOf(words);
}

function textOf(words: readonly Word[]): string {
  const lines = groupBy(words, ({ line }) => line).map((line) => ({
    text: line
      .map(({ text }) => text)
      .join(" ")
      .replace(WIDE_SPACE, ""),
  }));
  return joinLines(lines);
}

/**
 * The paragraphs of a page that are text by their confidence. A page of which most isn't has none: what is left of a
 * photo is chance.
 * @param table as Tesseract's `GetTSVText` returns it
 */
export function readRecognized(table: string): RecognizedText {
  const words = [...readWords(table)];
  if (words.length === 0) return { text: "", confidence: 0 };
  const paragraphs = groupBy(words, ({ paragraph }) => paragraph).filter(
    (paragraph) => confidenceOf(paragraph) >= MIN_CONFIDENCE,
  );
  const isText = lengthOf(paragraphs.flat()) >= lengthOf(words) / 2;
  const text = isText ? paragraphs.map(textOf).join("\n\n") : "";
  return { text, confidence: confidenceOf(words) };
}
