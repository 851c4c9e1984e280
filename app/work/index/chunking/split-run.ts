import type { Source } from "./source";

export interface Span {
  /** First atom. Those before `fresh` repeat the end of the previous chunk. */
  from: number;
  fresh: number;
  end: number;
  path: string[];
  isWhole: boolean;
}

/** Cost of a cut before an atom, added to the relative distance from the target length. */
const COST = { betweenBlocks: 0, listItem: 0.3, sentence: 0.5, afterColon: 0.6, line: 0.4, wholeBlock: 2 };

function cutCost(source: Source, at: number): number {
  const atom = source.atoms[at];
  if (!atom) return COST.betweenBlocks;
  const kind = source.kind(at);
  if (atom.isFirst) {
    const last = source.atoms[at - 1];
    const introduced = kind !== "paragraph" && last && source.text.charAt(last.end - 1) === ":";
    return introduced ? COST.afterColon : COST.betweenBlocks;
  }
  if (kind === "list") return COST.listItem;
  if (kind === "code" || kind === "table") {
    return source.blockWeight(at) <= source.chunking.target ? COST.wholeBlock : COST.line;
  }
  return COST.sentence;
}

/** The best end for a chunk of at most `budget` tokens, or of one longer atom. */
function findEnd(source: Source, at: number, end: number, goal: number, budget: number): number {
  let best = at + 1;
  let lowest = Number.POSITIVE_INFINITY;
  for (let candidate = at + 1; candidate <= end; candidate++) {
    const weight = source.weight(at, candidate);
    if (weight > budget && candidate > at + 1) break;
    if (source.kind(candidate - 1) === "heading" && candidate < end) continue;
    const cost = (candidate === end ? 0 : cutCost(source, candidate)) + Math.abs(weight - goal) / goal;
    if (cost <= lowest) {
      best = candidate;
      lowest = cost;
    }
  }
  return best;
}

/** The first atom of the overlap with the previous chunk, whole sentences only. */
function findOverlap(source: Source, at: number, from: number): number {
  const { target, overlap } = source.chunking;
  const here = source.atoms[at];
  const kind = source.kind(at);
  // A table repeats its header instead, and a block that fits stays whole.
  if (kind === "table" && !here?.isFirst) return at;
  if (here?.isFirst && (kind === "table" || kind === "code") && source.blockWeight(at) > target - overlap)
    return at;
  let start = at;
  while (start > from) {
    const before = start - 1;
    const other = source.kind(before);
    if (other === "heading" || other === "table") break;
    if (other === "code" && source.atoms[before]?.block !== here?.block) break;
    if (source.weight(before, at) > overlap) break;
    start = before;
  }
  return start;
}

/** Splits the text directly under a heading into overlapping parts of about equal length. */
export function splitRun(source: Source, from: number, end: number, path: string[]): Span[] {
  const { target, overlap } = source.chunking;
  if (source.weight(from, end) <= target) return [{ from, fresh: from, end, path, isWhole: true }];
  const spans: Span[] = [];
  for (let at = from; at < end; ) {
    const start = at === from ? at : findOverlap(source, at, from);
    const header = source.headerFor(start);
    const room = target - source.weight(start, at) - (header ? source.weight(at, at + 1) : 0);
    const rest = source.weight(at, end);
    const budget = Math.max(target / 4, room);
    const goal = Math.min(budget, rest / Math.ceil(rest / (target - overlap)));
    const stop = findEnd(source, at, end, goal, budget);
    spans.push({ from: start, fresh: at, end: stop, path, isWhole: false });
    at = stop;
  }
  return spans;
}
