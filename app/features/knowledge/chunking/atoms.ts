import type { Block } from "../extraction/document";
import { weigh } from "~/core/count-tokens";

/** The least that a chunk is made of: a heading, sentence, list item, line of code or table row. */
export interface Atom {
  start: number;
  end: number;
  /** The block it belongs to, by its place. */
  block: number;
  /** Whether its block begins with it. */
  first: boolean;
}

/** After a sentence, and what closes it; Chinese and Japanese put no space there. */
const SENTENCE_END = /[.!?…][)\]"'”’»]{0,3}(?=\s)|[。！？｡][」』）"”]{0,3}|\n/g;
const LINE_END = /\n/g;
/** What follows an item's first line is indented. */
const ITEM_END = /\n(?=\s*(?:[-*•]|\d{1,9}\.) )/g;

function endsOf(kind: Block["kind"]): RegExp {
  if (kind === "paragraph" || kind === "quote") return SENTENCE_END;
  return kind === "list" ? ITEM_END : LINE_END;
}

/** Where a part without an end of a sentence is cut: after a word, else anywhere but within a pair of surrogates. */
function hardCut(text: string, start: number, end: number, most: number): number {
  let sum = 0;
  let space = start;
  for (let at = start; at < end; at++) {
    sum += weigh(text, at, at + 1);
    if (sum > most && at > start) {
      if (space > start) return space;
      const inPair = /[\udc00-\udfff]/.test(text.charAt(at)) && at - 1 > start;
      return inPair ? at - 1 : at;
    }
    if (/\s/.test(text.charAt(at))) space = at + 1;
  }
  return end;
}

/** The places after which a part of a block ends, the block's own end among them. */
function* ends(text: string, block: Block, most: number): Generator<number> {
  let from = block.start;
  // A copy: the shared expression remembers where it was.
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
      from = hardCut(text, from, end, most);
      yield from;
    }
  }
}

/** Without the space around it. */
function trimmed(text: string, start: number, end: number): { start: number; end: number } {
  let from = start;
  let to = end;
  while (to > from && /\s/.test(text.charAt(to - 1))) to -= 1;
  while (from < to && /\s/.test(text.charAt(from))) from += 1;
  return { start: from, end: to };
}

/** Cuts blocks into atoms of at most so many tokens. Only white space is left between them. */
export function cutAtoms(text: string, blocks: readonly Block[], most: number): Atom[] {
  const atoms: Atom[] = [];
  for (const [index, block] of blocks.entries()) {
    let from = block.start;
    let first = true;
    for (const end of ends(text, block, most)) {
      // An indented line of code keeps what it begins with.
      const cut = trimmed(text, from, end);
      if (cut.end > cut.start) {
        atoms.push({
          start: block.kind === "code" && !first ? from : cut.start,
          end: cut.end,
          block: index,
          first,
        });
        first = false;
      }
      from = end;
    }
  }
  return atoms;
}
