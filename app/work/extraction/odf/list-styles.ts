import { listNumber } from "../list-numbers";
import { readXml } from "../office";

interface Level {
  /** As `listNumber` takes it; empty for bullets and for levels without a number. */
  format: string;
  isBullet: boolean;
  prefix: string;
  suffix: string;
  start: number;
  /** How many levels the number shows: `2.1` shows two. */
  shown: number;
}

/** Levels of a list style, from 1. */
type ListStyle = Map<number, Level>;

/** The name under which the numbers of headings are kept. */
export const OUTLINE = "";
const MAX_LEVELS = 10;
/** Numbers of headings and of lists of one list style. */
export class Counter {
  readonly #style: ListStyle | undefined;
  readonly #numbers: number[] = [];

  constructor(style: ListStyle | undefined) {
    this.#style = style;
  }

  /** Counts an item. @returns what stands before it: `2.1 `, `- ` or nothing; undefined without a style for the level */
  next(level: number, start?: number): string | undefined {
    const own = this.#style?.get(level);
    if (level < 1 || level > MAX_LEVELS || !own) return undefined;
    this.#numbers.length = level;
    this.#numbers[level - 1] = start ?? (this.#numbers[level - 1] ?? own.start - 1) + 1;
    if (own.isBullet) return "- ";
    if (!own.format) return "";
    const first = Math.max(1, level - own.shown + 1);
    const parts = Array.from({ length: level - first + 1 }, (_, at) => this.#text(first + at));
    return `${own.prefix}${parts.filter(Boolean).join(".")}${own.suffix.trimEnd()} `;
  }

  #text(level: number): string {
    const style = this.#style?.get(level);
    const number = this.#numbers[level - 1] ?? style?.start ?? 1;
    return style?.format ? listNumber(number, style.format) : "";
  }
}

export interface Styles {
  lists: Map<string, ListStyle>;
  /** Styles of pages of a presentation that aren't shown. */
  hidden: Set<string>;
}

/** How a level counts, by its first number. */
const FORMATS = new Map([
  ["1", "decimal"],
  ["a", "lowerLetter"],
  ["A", "upperLetter"],
  ["i", "lowerRoman"],
  ["I", "upperRoman"],
]);
const STYLES = new Set(["list-style", "outline-style"]);
const LEVELS = new Set([
  "list-level-style-number",
  "list-level-style-bullet",
  "list-level-style-image",
  "outline-level-style",
]);

/** Collects the styles of a part of an OpenDocument file. */
export function collectStyles(styles: Styles, bytes: Uint8Array): void {
  let list: ListStyle | undefined;
  let style = "";
  readXml(bytes, {
    open(name, attributes) {
      if (STYLES.has(name)) {
        list = new Map();
        styles.lists.set(name === "list-style" ? (attributes["style:name"] ?? "") : OUTLINE, list);
      } else if (LEVELS.has(name) && list)
        list.set(Number(attributes["text:level"]) || 1, {
          format: FORMATS.get(attributes["style:num-format"] ?? "") ?? "",
          isBullet: /bullet|image/.test(name),
          prefix: attributes["style:num-prefix"] ?? "",
          suffix: attributes["style:num-suffix"] ?? "",
          start: Number(attributes["text:start-value"] ?? 1) || 0,
          shown: Number(attributes["text:display-levels"]) || 1,
        });
      else if (name === "style") style = attributes["style:name"] ?? "";
      else if (attributes["presentation:visibility"] === "hidden") styles.hidden.add(style);
    },
    close(name) {
      if (STYLES.has(name)) list = undefined;
    },
  });
}
