import { weigh } from "~/core/count-tokens";
import type { Block } from "~/work/extraction/document.schema";
import type { Chunking } from "./chunk";

export class Source {
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly atoms: readonly Atom[];
  readonly chunking: Chunking;
  readonly #before: Float64Array;
  readonly #ofBlocks = new Map<Block, number>();

  constructor(text: string, blocks: readonly Block[], atoms: readonly Atom[], chunking: Chunking) {
    this.text = text;
    this.blocks = blocks;
    this.atoms = atoms;
    this.chunking = chunking;
    this.#before = new Float64Array(atoms.length + 1);
    for (const [at, atom] of atoms.entries()) {
      const next = atoms[at + 1]?.start ?? atom.end;
      this.#before[at + 1] = (this.#before[at] ?? 0) + weigh(text, atom.start, next);
    }
  }

  weight(from: number, end: number): number {
    return (this.#before[end] ?? 0) - (this.#before[from] ?? 0);
  }

  kind(at: number): Block["kind"] | undefined {
    return this.blockOf(at)?.kind;
  }

  blockOf(at: number): Block | undefined {
    const atom = this.atoms[at];
    return atom && this.blocks[atom.block];
  }

  blockWeight(at: number): number {
    const block = this.blockOf(at);
    if (!block) return 0;
    const cached = this.#ofBlocks.get(block);
    if (cached !== undefined) return cached;
    const weight = weigh(this.text, block.start, block.end);
    this.#ofBlocks.set(block, weight);
    return weight;
  }

  /** The table header to repeat before a row; empty if there is none. */
  headerFor(at: number): string {
    const block = this.blockOf(at);
    if (!block?.header || this.atoms[at]?.isFirst) return "";
    const end = this.text.indexOf("\n", block.start);
    const header = this.text.slice(block.start, end < 0 ? block.end : Math.min(end, block.end));
    return weigh(header, 0, header.length) <= this.chunking.target / 4 ? header : "";
  }
}

export interface Atom {
  start: number;
  end: number;
  block: number;
  isFirst: boolean;
}

/** Matches a sentence's end with closing quotes; Chinese and Japanese have no space there. */
const SENTENCE_END = /[.!?…][)\]"'”’»]{0,3}(?=\s)|[。！？｡][」』）"”]{0,3}|\n/g;
const LINE_END = /\n/g;
const ITEM_END = /\n(?=\s*(?:[-*•]|\d{1,9}\.) )/g;

function endsOf(kind: Block["kind"]): RegExp {
  if (kind === "paragraph" || kind === "quote") return SENTENCE_END;
  return kind === "list" ? ITEM_END : LINE_END;
}

function findHardCut(text: string, start: number, end: number, max: number): number {
  let sum = 0;
  let space = start;
  for (let at = start; at < end; at++) {
    sum += weigh(text, at, at + 1);
    if (sum > max && at > start) {
      if (space > start) return space;
      const inPair = /[\udc00-\udfff]/.test(text.charAt(at)) && at - 1 > start;
      return inPair ? at - 1 : at;
    }
    if (/\s/.test(text.charAt(at))) space = at + 1;
  }
  return end;
}

function* ends(text: string, block: Block, max: number): Generator<number> {
  let from = block.start;
  // A copy, since a shared regular expression keeps its `lastIndex`.
  const pattern = new RegExp(endsOf(block.kind));
  pattern.lastIndex = block.start;
  const soft: number[] = [];
  if (block.kind !== "heading") {
    for (let match = pattern.exec(text); match && match.index < block.end; match = pattern.exec(text)) {
      soft.push(Math.min(block.end, match.index + match[0].length));
    }
  }
  soft.push(block.end);
  for (const end of soft) {
    while (from < end) {
      from = findHardCut(text, from, end, max);
      yield from;
    }
  }
}

function trimRange(text: string, start: number, end: number): { start: number; end: number } {
  let from = start;
  let to = end;
  while (to > from && /\s/.test(text.charAt(to - 1))) to -= 1;
  while (from < to && /\s/.test(text.charAt(from))) from += 1;
  return { start: from, end: to };
}

/** Splits blocks into atoms of at most `max` tokens, with only white space between them. */
export function cutAtoms(text: string, blocks: readonly Block[], max: number): Atom[] {
  const atoms: Atom[] = [];
  for (const [index, block] of blocks.entries()) {
    let from = block.start;
    let isFirst = true;
    for (const end of ends(text, block, max)) {
      // A line of code keeps its indentation.
      const cut = trimRange(text, from, end);
      if (cut.end > cut.start) {
        atoms.push({
          start: block.kind === "code" && !isFirst ? from : cut.start,
          end: cut.end,
          block: index,
          isFirst,
        });
        isFirst = false;
      }
      from = end;
    }
  }
  return atoms;
}

export interface Section {
  level: number;
  path: string[];
  from: number;
  /** Start of the first subsection, or the section's end. */
  ownEnd: number;
  end: number;
  sections: Section[];
}

/** In characters; longer headings are truncated. */
const MAX_HEADING_LENGTH = 200;

/** Builds the tree of headings. The root holds the text before the first heading. */
export function findSections(text: string, blocks: readonly Block[], atoms: readonly Atom[]): Section {
  const root: Section = { level: 0, path: [], from: 0, ownEnd: 0, end: atoms.length, sections: [] };
  const open = [root];
  const close = (section: Section, at: number) => {
    section.end = at;
    section.ownEnd = section.sections[0]?.from ?? at;
  };
  for (const [at, atom] of atoms.entries()) {
    const block = blocks[atom.block];
    if (block?.kind !== "heading" || !atom.isFirst) continue;
    const level = block.level ?? 1;
    for (let last = open.at(-1); last && last.level >= level; last = open.at(-1)) {
      close(last, at);
      open.pop();
    }
    const parent = open.at(-1) ?? root;
    const name = text.slice(block.start, Math.min(block.end, block.start + MAX_HEADING_LENGTH));
    const section = { level, path: [...parent.path, name], from: at, ownEnd: at, end: at, sections: [] };
    parent.sections.push(section);
    open.push(section);
  }
  for (const section of open) close(section, atoms.length);
  return root;
}
