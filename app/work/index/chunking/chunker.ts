import { createHash } from "node:crypto";
import { countTokens } from "~/core/count-tokens";
import type { ReadDocument } from "~/work/extraction/document";
import { cutAtoms } from "./atoms";
import { type Chunk, type Chunking, embeddedText } from "./chunk";
import { findSections, type Section } from "./sections";
import { Source } from "./source";
import { type Span, splitRun } from "./split-run";

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

function toChunk(source: Source, title: string, { from, fresh, end, path }: Span, position: number): Chunk {
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
): Chunk[] {
  const chunking = { target, overlap: Math.min(overlap, target / 2) };
  const atoms = cutAtoms(text, blocks, target / 2);
  const source = new Source(text, blocks, atoms, chunking);
  const spans = planSection(source, findSections(text, blocks, atoms));
  return spans.filter(({ from, end }) => end > from).map((span, at) => toChunk(source, title, span, at));
}
