import { decodeText } from "~/core/charset";
import type { ReadDocument } from "./document";

/** A document's bytes with their declared metadata. */
export interface SourceFile {
  bytes: Uint8Array;
  /** A file's name or an address's path; may be empty. */
  name: string;
  /** As declared, such as a Content-Type header; may be empty. */
  contentType: string;
}

/** What a file's content reveals, computed once for all formats. */
export interface Sniffed {
  bytes: Uint8Array;
  /** Whether the bytes can be text. */
  text: boolean;
  /** The beginning: of a text its first characters, else its bytes as Latin-1. */
  start: string;
  /** The names in a zip archive; empty for anything else. */
  entries: ReadonlySet<string>;
}

/** One format: a file in formats/ and its line in index.ts. Pure: it runs in a thread, without network or disk. */
export interface DocumentFormat {
  /** For a person, `DocumentFacts.format`. */
  label: string;
  /** Name endings, with the dot. */
  endings: readonly string[];
  /** Media types without parameters. */
  types: readonly string[];
  /** Whether the content alone identifies this format. Name and type can't override it. */
  recognises?(content: Sniffed): boolean;
  /** Whether it is a text format: one that a name or a type can decide among. */
  text: boolean;
  /**
   * Its text and structure. An empty document has no blocks.
   *
   * @throws AppError `invalid` with what a person should know; anything else means that the file is damaged
   */
  read(file: SourceFile): Promise<ReadDocument> | ReadDocument;
}

export function textOf({ bytes, contentType }: SourceFile): string {
  return decodeText(bytes, contentType);
}
