/** How documents are cut. Sizes in tokens as `countTokens` estimates them. */
export interface Chunking {
  target: number;
  overlap: number;
}

/** A part of a document that is found and cited as one. */
export interface Chunk {
  /** From 0. */
  position: number;
  text: string;
  /** The headings it is under, outermost first. */
  headings: string[];
  /** Its place in the whole text, in characters, the end not included. */
  start: number;
  end: number;
  page: number | null;
  tokens: number;
  /** Of what is embedded (`embeddedText`): SHA-256's first 128 bits, base64url. */
  hash: string;
}

/** Incremented when the chunker's rules change: chunks of another version are rebuilt in the background. */
const CHUNKER_VERSION = 2;

/** Names a chunk set. */
export function chunkSetKey({ target, overlap }: Chunking): string {
  return `v${CHUNKER_VERSION}/${target}/${overlap}`;
}

/** How far into a chunk its headings are looked for, in characters. */
const OPENING = 1000;

/**
 * What is embedded, and what keywords are looked for in: the chunk with what it is under. A heading that the chunk
 * itself begins with, or that is the title too, is said once.
 */
export function embeddedText(title: string, chunk: Pick<Chunk, "headings" | "text">): string {
  const opening = new Set(chunk.text.slice(0, OPENING).split("\n"));
  const above = [...new Set([title, ...chunk.headings])].filter((line) => line && !opening.has(line));
  return [...above, chunk.text].join("\n");
}
