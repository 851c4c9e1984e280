import { z } from "zod";
import type { Packs } from "~/core/packs";

/** Sizes in tokens as `countTokens` estimates them. */
export interface Chunking {
  target: number;
  overlap: number;
}

export interface Chunk {
  position: number;
  text: string;
  headings: string[];
  /** Offsets in the document's text, in characters. */
  start: number;
  end: number;
  page: number | null;
  tokens: number;
  /** First 128 bits of the SHA-256 of `embeddedText`, base64url. */
  hash: string;
  /** ISO 639-1 code; empty for a text of no known language. */
  language: string;
}

/** Incremented when the chunking rules or the detection of languages change; older chunks are rebuilt in the background. */
const CHUNKER_VERSION = 3;
/**
 * Incremented when the analysis of terms changes. Then a new chunk set copies the chunks of the old one, whose
 * vectors stay valid, and only the terms are written again.
 */
const TERMS_VERSION = 1;

const chunksKey = ({ target, overlap }: Chunking) => `v${CHUNKER_VERSION}/${target}/${overlap}`;

export const chunkSetKey = (chunking: Chunking): string => `${chunksKey(chunking)}/t${TERMS_VERSION}`;

/** Whether two chunk sets have the same chunks, and differ in the terms' analysis at most. */
export function hasSameChunks(key: string, other: string): boolean {
  const parts = (one: string) => one.split("/").slice(0, 3).join("/");
  return parts(key) === parts(other);
}

export function chunkingOf(key: string): Chunking {
  const [, target = 400, overlap = 0] = key.split("/").map(Number);
  return { target, overlap };
}

/** Characters of a chunk that are searched for its headings. */
const OPENING = 1000;

/** The embedded and indexed text: title, headings and chunk. Repeated headings appear once. */
export function embeddedText(title: string, chunk: Pick<Chunk, "headings" | "text">): string {
  const opening = new Set(chunk.text.slice(0, OPENING).split("\n"));
  const above = [...new Set([title, ...chunk.headings])].filter((line) => line && !opening.has(line));
  return [...above, chunk.text].join("\n");
}

export const ChunkTask = z.object({
  database: z.string(),
  versionId: z.string(),
  title: z.string(),
  chunking: z.object({ target: z.number(), overlap: z.number() }),
});
export type ChunkTask = z.infer<typeof ChunkTask>;

/** Chunks in reverse order. Not parsed: they come from our own worker. */
export const PackedChunks = z.custom<Packs>((value) => Array.isArray(value));
