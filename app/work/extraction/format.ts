import type { ReadDocument } from "./document.schema";

export interface SourceFile {
  bytes: Uint8Array;
  name: string;
  /** As in a Content-Type header; may be empty. */
  contentType: string;
  /** That a person chose for a text file which doesn't say its own. */
  encoding?: string | undefined;
  /**
   * What was recognized so far of its pages that are pictures, by their number; null for one that can't be read.
   * Undefined where none ever will be: a document of nothing but pictures is refused then.
   */
  recognized?: ReadonlyMap<number, string | null>;
}

/** A file with its text, which is empty if its format isn't text. */
interface OpenedFile extends SourceFile {
  text: string;
}

export interface Sniffed {
  isText: boolean;
  /** First characters of a text, or first bytes as Latin-1. */
  start: string;
  /** Names of a ZIP archive's entries; empty for other files. */
  entries: ReadonlySet<string>;
  /** Names of the streams and storages at the top of an old Office file (OLE2); undefined for other files. */
  streams: ReadonlySet<string> | undefined;
}

/** A file within another one, such as an attachment. */
export interface InnerFile extends SourceFile {
  /** Why it can't be taken out, as a part of a sentence; it has no bytes then. */
  problem?: string;
}

/** One file in formats/ each, listed in index.ts. Pure: it runs without network or disk. */
export interface DocumentFormat {
  label: string;
  endings: readonly string[];
  /** Media types without parameters. */
  types: readonly string[];
  /** Entries of a ZIP archive, each of which identifies this format. */
  entries?: readonly string[];
  /** Streams of an old Office file, each of which identifies this format. */
  streams?: readonly string[];
  /** Whether other content identifies this format regardless of name and type. */
  recognizes?(content: Sniffed): boolean;
  /** Whether it is a text format, which the name or type selects. */
  isText: boolean;
  /**
   * Reads text and structure. An empty document has no blocks.
   * @throws AppError `invalid` with a message for a person; any other error means a damaged file
   */
  read(file: OpenedFile): Promise<ReadDocument> | ReadDocument;
  /** The files within it, each of which becomes a document of its own. Their names are paths with `/`. */
  innerFiles?(file: SourceFile): Promise<readonly InnerFile[]> | AsyncIterable<InnerFile>;
  /** Whether it is nothing but a folder of files. */
  isFolder?: boolean;
}

export const PASSWORD_PROTECTED = "This file is password-protected. Remove the password and try again.";

export const mediaTypeOf = (contentType: string): string =>
  (contentType.split(";")[0] ?? "").trim().toLowerCase();

export const withNote = (document: ReadDocument, note: string): ReadDocument => ({
  ...document,
  facts: { ...document.facts, notes: [...(document.facts.notes ?? []), note] },
});
