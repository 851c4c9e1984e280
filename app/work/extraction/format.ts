import { decodeText } from "~/core/charset";
import type { ReadDocument } from "./document.schema";

export interface SourceFile {
  bytes: Uint8Array;
  name: string;
  /** As in a Content-Type header; may be empty. */
  contentType: string;
}

export interface Sniffed {
  bytes: Uint8Array;
  isText: boolean;
  /** First characters of a text, or first bytes as Latin-1. */
  start: string;
  /** Entry names of a zip archive, or those at the top of an old Office file; empty for other files. */
  entries: ReadonlySet<string>;
}

/** One file in formats/ each, listed in index.ts. Pure: it runs without network or disk. */
export interface DocumentFormat {
  label: string;
  endings: readonly string[];
  /** Media types without parameters. */
  types: readonly string[];
  /** Entries of an archive or of an old Office file, each of which identifies this format. */
  parts?: readonly string[];
  /** Whether other content identifies this format regardless of name and type. */
  recognises?(content: Sniffed): boolean;
  /** Whether it is a text format, which the name or type selects. */
  isText: boolean;
  /**
   * Reads text and structure. An empty document has no blocks.
   * @throws AppError `invalid` with a message for a person; any other error means a damaged file
   */
  read(file: SourceFile): Promise<ReadDocument> | ReadDocument;
}

export const textOf = ({ bytes, contentType }: SourceFile): string => decodeText(bytes, contentType);

export const mediaTypeOf = (contentType: string): string =>
  (contentType.split(";")[0] ?? "").trim().toLowerCase();

export const withNote = (document: ReadDocument, note: string): ReadDocument => ({
  ...document,
  facts: { ...document.facts, notes: [...(document.facts.notes ?? []), note] },
});
