import { weigh } from "~/core/count-tokens";
import type { Block } from "~/work/extraction/document";

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
