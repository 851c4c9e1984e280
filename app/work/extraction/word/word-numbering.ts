import { listNumber } from "../list-numbers";
import { attributeOf, readXml } from "../office";
import type { NumberedBy, ParagraphStyle, Styles } from "./word-styles";
import { isOn, numberOf, SILENT } from "./word-xml";

interface Level {
  start: number;
  format: string;
  /** Example of a custom format. */
  example: string;
  /** Such as `§ %1`, in which `%1` is the number of the first level; undefined for the usual `%1.` */
  text: string | undefined;
  style: string | undefined;
  isLegal: boolean;
  /** Level, from 1, after which it starts again; 0 for never, undefined for each higher one. */
  restart: number | undefined;
  hasSpace: boolean;
}

interface AbstractList {
  levels: Map<number, Level>;
  /** A numbering style that has the levels. */
  link: string | undefined;
}

interface List {
  abstract: string;
  levels: Map<number, Level>;
  starts: Map<number, number>;
}

/** A paragraph's number or bullet. */
export interface Marker {
  /** Such as `2.1 `, with the space that follows; `- ` for any bullet. */
  text: string;
  level: number;
}

const MAX_LEVEL = 8;
/** In characters. */
const MAX_MARKER = 100;
const newLevel = (): Level => ({
  start: 1,
  format: "",
  example: "",
  text: undefined,
  style: undefined,
  isLegal: false,
  restart: undefined,
  hasSpace: true,
});

/** Numbers paragraphs as Word does: the lists of one abstract list share its counters. */
export class Numbering {
  readonly #styles: Styles;
  readonly #abstract = new Map<string, AbstractList>();
  readonly #lists = new Map<string, List>();
  readonly #counters = new Map<string, (number | undefined)[]>();
  /** Lists and levels whose own start has been applied. */
  readonly #started = new Set<string>();

  constructor(bytes: Uint8Array | undefined, styles: Styles) {
    this.#styles = styles;
    if (bytes) this.#read(bytes);
  }

  /**
   * Counts a paragraph.
   * @returns undefined for one that has neither a number nor a bullet
   */
  count(own: NumberedBy, style: ParagraphStyle): Marker | undefined {
    const id = own.list ?? style.numberedBy.list;
    const list = id === undefined || id === "0" ? undefined : this.#lists.get(id);
    if (!id || !list) return undefined;
    const [key, levels] = this.#levelsOf(list);
    const at = Math.min(
      own.level ?? this.#levelOfStyle(style, levels) ?? style.numberedBy.level ?? 0,
      MAX_LEVEL,
    );
    const level = levels.get(at);
    if (!level) return undefined;
    const counters = this.#advance(id, list, key, levels, at);
    const text = markerText(at, level, counters, levels);
    return text === undefined ? undefined : { text, level: at };
  }

  #levelOfStyle({ ids }: ParagraphStyle, levels: Map<number, Level>): number | undefined {
    for (const id of ids) for (const [at, { style }] of levels) if (style === id) return at;
    return undefined;
  }

  /** The key of a list's counters and its levels, with those of its own. */
  #levelsOf({ abstract, levels }: List): [key: string, levels: Map<number, Level>] {
    let key = abstract;
    const seen = new Set<string>();
    for (
      let link = this.#abstract.get(key)?.link;
      link && !seen.has(key);
      link = this.#abstract.get(key)?.link
    ) {
      seen.add(key);
      key = this.#lists.get(this.#styles.listOf(link) ?? "")?.abstract ?? key;
    }
    const shared = this.#abstract.get(key)?.levels ?? new Map<number, Level>();
    return [key, levels.size === 0 ? shared : new Map([...shared, ...levels])];
  }

  #advance(
    id: string,
    list: List,
    key: string,
    levels: Map<number, Level>,
    at: number,
  ): (number | undefined)[] {
    const counters = this.#counters.get(key) ?? [];
    this.#counters.set(key, counters);
    const once = `${id} ${at}`;
    const own = this.#started.has(once) ? undefined : list.starts.get(at);
    this.#started.add(once);
    if (own !== undefined) counters[at] = own - 1;
    const first = levels.get(at)?.start ?? 1;
    counters[at] = (counters[at] ?? first - 1) + 1;
    for (let below = at + 1; below <= MAX_LEVEL; below++) {
      const restart = levels.get(below)?.restart;
      if (restart === undefined || at < restart) counters[below] = undefined;
    }
    return counters;
  }

  #read(bytes: Uint8Array): void {
    let abstract: AbstractList | undefined;
    let list: List | undefined;
    let level: Level | undefined;
    let [override, silence] = [0, 0];
    const readLevel = (name: string, attributes: Record<string, string>, into: Level) => {
      if (name === "start") into.start = numberOf(attributes) ?? 1;
      // The first of two forms of one format is the exact one.
      else if (name === "numFmt" && !into.format) {
        into.format = attributeOf(attributes) ?? "decimal";
        into.example = attributeOf(attributes, "format") ?? "";
      } else if (name === "lvlText") into.text = (attributeOf(attributes) ?? "").slice(0, MAX_MARKER);
      else if (name === "pStyle") into.style = attributeOf(attributes);
      else if (name === "isLgl") into.isLegal = isOn(attributes);
      else if (name === "lvlRestart") into.restart = numberOf(attributes);
      else if (name === "suff") into.hasSpace = attributeOf(attributes) !== "nothing";
    };
    readXml(bytes, {
      open: (name, attributes) => {
        if (silence > 0 || SILENT.has(name)) silence += 1;
        if (silence > 0) return;
        if (name === "abstractNum") {
          abstract = { levels: new Map(), link: undefined };
          this.#abstract.set(attributeOf(attributes, "abstractNumId") ?? "", abstract);
        } else if (name === "num") {
          list = { abstract: "", levels: new Map(), starts: new Map() };
          this.#lists.set(attributeOf(attributes, "numId") ?? "", list);
        } else if (name === "numStyleLink" && abstract) abstract.link = attributeOf(attributes);
        else if (name === "abstractNumId" && list) list.abstract = attributeOf(attributes) ?? "";
        else if (name === "lvlOverride") override = numberOf(attributes, "ilvl") ?? 0;
        else if (name === "startOverride" && list) list.starts.set(override, numberOf(attributes) ?? 1);
        else if (name === "lvl") {
          level = newLevel();
          (list ?? abstract)?.levels.set(numberOf(attributes, "ilvl") ?? 0, level);
        } else if (level) readLevel(name, attributes, level);
      },
      close: (name) => {
        if (silence > 0) silence -= 1;
        else if (name === "lvl") level = undefined;
        else if (name === "abstractNum") abstract = undefined;
        else if (name === "num") list = undefined;
      },
    });
  }
}

const WORD = /\p{L}{2}|\p{N}/u;

/** @returns undefined for a level that shows nothing */
function markerText(
  at: number,
  { format, text = `%${at + 1}.`, isLegal, hasSpace }: Level,
  counters: readonly (number | undefined)[],
  levels: Map<number, Level>,
): string | undefined {
  const space = hasSpace ? " " : "";
  // A bullet is a letter of a symbol font.
  if (format === "bullet") return WORD.test(text) && !text.startsWith("%") ? `${text.trim()}${space}` : "- ";
  const shown = text.replace(/%([1-9])/g, (_, digit: string) => {
    const index = Number(digit) - 1;
    const level = levels.get(index) ?? newLevel();
    const number = counters[index] ?? level.start;
    return listNumber(number, isLegal ? "decimal" : level.format, level.example);
  });
  const clean = shown.replace(/\s+/g, " ").trimStart();
  return clean.trim() ? clean.trimEnd() + (clean.endsWith(" ") ? " " : space) : undefined;
}
