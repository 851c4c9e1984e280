import { createHash } from "node:crypto";
import { countTokens } from "~/core/count-tokens";
import type { ReadDocument } from "~/work/extraction/document";
import { cutAtoms } from "./atoms";
import { type Chunk, type Chunking, embeddedText } from "./chunk";
import { planSection } from "./plan";
import { findSections } from "./sections";
import { Source } from "./source";
import type { Span } from "./split-run";

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
