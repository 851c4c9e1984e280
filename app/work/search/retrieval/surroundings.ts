import { weigh } from "~/core/count-tokens";
import type { Block, ReadDocument } from "~/work/extraction/document.schema";
import { cutAtoms } from "~/work/index/chunking/source";

/** Tokens around one passage. */
export const AROUND_PASSAGE = 600;
/** Characters that count as a token at least: white space and the like weighs next to nothing. */
const CHARS_PER_TOKEN = 6;
/** How far from its passage a text can lie, in characters. */
export const REACH = AROUND_PASSAGE * CHARS_PER_TOKEN;
/** Blocks above this, in tokens, are taken by sentences, items and rows. */
const WHOLE_BLOCK = AROUND_PASSAGE / 4;

/** A passage with its offsets in its document's text, in characters. */
export interface Place {
  number: number;
  start: number;
  end: number;
}

/** The text around passages of one section. */
export interface Section {
  /** Numbers of the passages. */
  passages: number[];
  /** `[passage 1]` stands for the text of that passage. */
  text: string;
}

interface Unit {
  start: number;
  end: number;
  /** Of a heading. */
  level: number | undefined;
  /** Number of the passage that holds it. */
  passage: number | undefined;
  taken: boolean;
}

/** A part of a document's text that holds passages and what lies within their reach. */
type Excerpt = Pick<ReadDocument, "text" | "blocks"> & {
  /** Offset of the text in the document's; blocks have offsets in the document's. */
  base: number;
};

const BETWEEN = "\n\n";
/** Tokens of the lines between two blocks. */
const BETWEEN_TOKENS = 1.2;

const wholeOrParts = (text: string, block: Block) =>
  weigh(text, block.start, block.end) <= WHOLE_BLOCK ? [block] : cutAtoms(text, [block], WHOLE_BLOCK);

/** Blocks or parts of them, cut where passages begin and end. */
function cutUnits({ text, blocks, base }: Excerpt, places: readonly Place[]): Unit[] {
  const bounds = places.flatMap(({ start, end }) => [start - base, end - base]).sort((a, b) => a - b);
  const units: Unit[] = [];
  for (const given of blocks) {
    const block = { ...given, start: given.start - base, end: given.end - base };
    const level = block.kind === "heading" ? (block.level ?? 1) : undefined;
    for (const part of wholeOrParts(text, block)) {
      const cuts = [...bounds.filter((at) => at > part.start && at < part.end), part.end];
      let start = part.start;
      for (const end of cuts) {
        const own = places.find((place) => place.start <= start + base && end + base <= place.end);
        if (text.slice(start, end).trim() !== "")
          units.push({ start, end, level, passage: own?.number, taken: own !== undefined });
        start = end;
      }
    }
  }
  return units;
}

interface Range {
  from: number;
  to: number;
}

/** The smallest section that says more than the passage: its own, or the one above. */
function findSection(units: readonly Unit[], first: number, last: number): Range {
  const levelAt = (at: number) => units[at]?.level ?? Number.POSITIVE_INFINITY;
  let level = Number.POSITIVE_INFINITY;
  for (let at = first + 1; at <= last; at++) level = Math.min(level, levelAt(at));
  for (let at = first; at >= 0; at--) {
    const own = levelAt(at);
    if (own >= level) continue;
    let to = last + 1;
    while (to < units.length && levelAt(to) > own) to += 1;
    if (at < first || to > last + 1) return { from: at, to };
    level = own;
  }
  return { from: 0, to: units.length };
}

/** A document's text around its passages, taken passage by passage. */
export class Surroundings {
  readonly #text: string;
  readonly #units: Unit[];

  constructor(excerpt: Excerpt, places: readonly Place[]) {
    this.#text = excerpt.text;
    this.#units = cutUnits(excerpt, places);
  }

  #cost({ start, end, taken }: Unit): number {
    if (taken) return 0;
    return BETWEEN_TOKENS + Math.max(weigh(this.#text, start, end), (end - start) / CHARS_PER_TOKEN);
  }

  /** Takes what lies nearest to a passage, on both sides in turn. @param budget in tokens @returns tokens taken */
  take(number: number, budget: number): number {
    const first = this.#units.findIndex(({ passage }) => passage === number);
    const last = this.#units.findLastIndex(({ passage }) => passage === number);
    if (first < 0) return 0;
    const { from, to } = findSection(this.#units, first, last);
    let used = 0;
    const sides = [
      { at: first - 1, step: -1 },
      { at: last + 1, step: 1 },
    ];
    while (sides.length > 0) {
      const side = sides.shift();
      const unit = side && this.#units[side.at];
      if (!side || !unit || side.at < from || side.at >= to) continue;
      const cost = this.#cost(unit);
      if (used + cost > budget) continue;
      used += cost;
      unit.taken = true;
      sides.push({ ...side, at: side.at + side.step });
    }
    return used;
  }

  /** The sections taken; passages that have nothing around them are in none. */
  sections(): Section[] {
    const sections: Section[] = [];
    for (let at = 0; at < this.#units.length; at++) {
      if (!this.#units[at]?.taken) continue;
      const from = at;
      while (this.#units[at]?.taken) at += 1;
      const section = this.#render(from, at);
      if (section) sections.push(section);
    }
    return sections;
  }

  #render(from: number, end: number): Section | undefined {
    let to = end;
    // The heading of a text that isn't there.
    while (
      to > from &&
      this.#units[to - 1]?.level !== undefined &&
      this.#units[to - 1]?.passage === undefined
    )
      to -= 1;
    const units = this.#units.slice(from, to);
    if (units.every(({ passage, level }) => passage !== undefined || level !== undefined)) return undefined;
    const passages = new Set<number>();
    let text = from > 0 ? "…\n\n" : "";
    for (const [at, unit] of units.entries()) {
      const { passage, start } = unit;
      const before = units[at - 1];
      if (passage !== undefined && passages.has(passage)) continue;
      const gap = before ? this.#text.slice(before.end, start) : "";
      text += gap.length > 2 ? BETWEEN : gap;
      text += passage === undefined ? this.#text.slice(start, unit.end) : `[passage ${passage}]`;
      if (passage !== undefined) passages.add(passage);
    }
    return {
      passages: [...passages].sort((a, b) => a - b),
      text: to < this.#units.length ? `${text}\n\n…` : text,
    };
  }
}
