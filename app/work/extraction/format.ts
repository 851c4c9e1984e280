import { decodeText } from "~/core/charset";
import type { ReadDocument } from "./document";

export interface SourceFile {
  bytes: Uint8Array;
  name: string;
  /** As in a Content-Type header; may be empty. */
  contentType: string;
}

/** Content characteristics, computed once for all formats. */
export interface Sniffed {
  bytes: Uint8Array;
  isText: boolean;
  /** First characters of a text, or first bytes as Latin-1. */
  start: string;
  /** Entry names of a zip archive; empty for other files. */
  entries: ReadonlySet<string>;
}

/** A file in formats/, listed in index.ts. Pure: it runs without network or disk. */
export interface DocumentFormat {
  label: string;
  endings: readonly string[];
  /** Media types without parameters. */
  types: readonly string[];
  /** Whether the content identifies this format regardless of name and type. */
  recognises?(content: Sniffed): boolean;
  /** Whether it is a text format, which the name or type selects. */
  isText: boolean;
  /**
   * Reads text and structure. An empty document has no blocks.
   * @throws AppError `invalid` with a message for a person; any other error means a damaged file
   */
  read(file: SourceFile): Promise<ReadDocument> | ReadDocument;
}

export function textOf({ bytes, contentType }: SourceFile): string {
  return decodeText(bytes, contentType);
}
