/** Sizes in tokens as `countTokens` estimates them. */
export interface Chunking {
  target: number;
  overlap: number;
}

export interface Chunk {
  position: number;
  text: string;
  /** Outermost first. */
  headings: string[];
  /** Offsets in the document's text, in characters. */
  start: number;
  end: number;
  page: number | null;
  tokens: number;
  /** First 128 bits of the SHA-256 of `embeddedText`, base64url. */
  hash: string;
}

/** Incremented when the chunker's rules change: chunks of another version are rebuilt in the background. */
const CHUNKER_VERSION = 2;

export function chunkSetKey({ target, overlap }: Chunking): string {
  return `v${CHUNKER_VERSION}/${target}/${overlap}`;
}

/** Characters of a chunk in which its headings are searched. */
const OPENING = 1000;

/**
 * The text that is embedded and indexed: the chunk with its title and headings. A heading that the chunk starts with,
 * or that equals the title, appears once.
 */
export function embeddedText(title: string, chunk: Pick<Chunk, "headings" | "text">): string {
  const opening = new Set(chunk.text.slice(0, OPENING).split("\n"));
  const above = [...new Set([title, ...chunk.headings])].filter((line) => line && !opening.has(line));
  return [...above, chunk.text].join("\n");
}
