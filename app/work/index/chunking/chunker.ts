import { createHash } from "node:crypto";
import { countTokens } from "~/core/count-tokens";
import type { ReadDocument } from "~/work/extraction/document.schema";
import { type Chunk, type Chunking, embeddedText } from "./chunk";
import { cutAtoms, findSections, type Section, Source } from "./source";

/** A chunk whose language isn't detected yet. */
export type CutChunk = Omit<Chunk, "language">;

function commonPath(one: readonly string[], other: readonly string[]): string[] {
  const differs = one.findIndex((name, at) => name !== other[at]);
  return one.slice(0, differs < 0 ? one.length : differs);
}

const isBare = (source: Source, { fresh, end }: Span) => {
  for (let at = fresh; at < end; at++) if (source.kind(at) !== "heading") return false;
  return true;
};

/** Two neighbors join if they fit the target and one of them is too small alone. */
function shouldJoin(source: Source, one: Span, other: Span): boolean {
  const { target } = source.chunking;
  const [first, second] = [source.weight(one.from, one.end), source.weight(other.fresh, other.end)];
  if (first + second > target) return false;
  if (one.isWhole && other.isWhole) return first < target / 2 || second < target / 8;
  return Math.min(first, second) < target / 8;
}

/** Joins small sections of one parent, and an empty heading with the next section. */
function joinSmallSpans(source: Source, spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last && isBare(source, last)) {
      joined[joined.length - 1] = { ...span, from: last.from, fresh: last.fresh };
    } else if (last && shouldJoin(source, last, span)) {
      const path = commonPath(last.path, span.path);
      joined[joined.length - 1] = { ...last, end: span.end, path, isWhole: last.isWhole && span.isWhole };
    } else joined.push(span);
  }
  return joined;
}

/** One chunk if the section fits, otherwise its own text and then each subsection. */
function planSection(source: Source, section: Section): Span[] {
  const { from, ownEnd, end, path, sections } = section;
  const [only] = sections;
  if (only && sections.length === 1 && ownEnd === from) return planSection(source, only);
  if (source.weight(from, end) <= source.chunking.target)
    return [{ from, fresh: from, end, path, isWhole: true }];
  const own = ownEnd > from ? splitRun(source, from, ownEnd, path) : [];
  return joinSmallSpans(source, [...own, ...sections.flatMap((part) => planSection(source, part))]);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest().subarray(0, 16).toString("base64url");
}

function toChunk(
  source: Source,
  title: string,
  { from, fresh, end, path }: Span,
  position: number,
): CutChunk {
  const start = source.atoms[from]?.start ?? 0;
  const stop = source.atoms[end - 1]?.end ?? start;
  const header = source.headerFor(from);
  const slice = source.text.slice(start, stop);
  const text = header ? `${header}\n${slice}` : slice;
  return {
    position,
    text,
    headings: path,
    start,
    end: stop,
    page: source.blockOf(fresh)?.page ?? null,
    tokens: countTokens(text),
    hash: hashOf(embeddedText(title, { headings: path, text })),
  };
}

/**
 * Splits a document into chunks along its structure. Each is `text.slice(start, end)`, preceded by the
 * table header if it starts within a table. Together they cover the whole text.
 * @param chunking with an overlap of at most half the target
 */
export function cutChunks(
  { title, text, blocks }: Pick<ReadDocument, "title" | "text" | "blocks">,
  { target, overlap }: Chunking,
): CutChunk[] {
  const chunking = { target, overlap: Math.min(overlap, target / 2) };
  const atoms = cutAtoms(text, blocks, target / 2);
  const source = new Source(text, blocks, atoms, chunking);
  const spans = planSection(source, findSections(text, blocks, atoms));
  return spans.filter(({ from, end }) => end > from).map((span, at) => toChunk(source, title, span, at));
}

interface Span {
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
function splitRun(source: Source, from: number, end: number, path: string[]): Span[] {
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
