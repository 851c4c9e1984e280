import { z } from "zod";
import type { Packs } from "~/core/packs";
import type { Facts, TextPiece } from "./document.schema";
import type { TakenFile } from "./inner-files";

const VersionTask = z.object({
  database: z.string(),
  versionId: z.string(),
  name: z.string(),
  contentType: z.string(),
  /** Chosen by a person, in place of a guess. */
  encoding: z.string().optional(),
});
export type VersionTask = z.infer<typeof VersionTask>;

const FileTask = z.object({
  /** Of a file on disk; else its bytes. */
  path: z.string().optional(),
  bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array).optional(),
  name: z.string(),
  contentType: z.string(),
  /** In characters. */
  maxLength: z.number(),
});
export type FileTask = z.infer<typeof FileTask>;

const PageTask = z.object({
  database: z.string(),
  versionId: z.string(),
  /** From 1. */
  page: z.number(),
  /** In gray, as programs for text recognition want it, in place of the colors of a picture for people. */
  isForRecognition: z.boolean().optional(),
});
export type PageTask = z.infer<typeof PageTask>;

/** Recognizes the text of a page, with the data of languages. */
const RecognitionTask = PageTask.extend({ folder: z.string(), names: z.array(z.string()) });
export type RecognitionTask = z.infer<typeof RecognitionTask>;

/** Takes out the files within a version, from one of them on; with an offset, more bytes of that one. */
const InnerTask = VersionTask.extend({ from: z.number(), offset: z.number().default(0) });
export type InnerTask = z.infer<typeof InnerTask>;

export const ReadTask = z.union([RecognitionTask, PageTask, InnerTask, VersionTask, FileTask]);

export const FileText = z.object({ mediaType: z.string(), text: z.string() });
export type FileText = z.infer<typeof FileText>;

/** A page of a PDF as PNG. */
export const PagePicture = z.instanceof<typeof Uint8Array>(Uint8Array);
export type PagePicture = Uint8Array;

/** Paragraphs with an empty line between them; empty if a page has no text. */
export const PageText = z.string();

export interface InnerFiles {
  /** Of a large one, the first bytes of `size`. */
  files: (TakenFile & { size: number })[];
  /** Number of the first file that isn't among them; null after the last. */
  next: number | null;
}

/** Checked superficially, as `PackedVersion`: paths and reasons are made by our own worker. */
export const InnerFiles = z.custom<InnerFiles>(
  (value) => typeof value === "object" && value !== null && "files" in value && Array.isArray(value.files),
);

export interface ReadVersion {
  title: string;
  facts: Facts;
  /** SHA-256 of the text, in hex. */
  textHash: string;
  textLength: number;
  pieces: Iterable<TextPiece>;
}

export interface PackedVersion extends Omit<ReadVersion, "pieces"> {
  pieces: Packs;
}

/** Checked superficially: our own worker makes it, and parsing each piece would block the main thread. */
export const PackedVersion = z.custom<PackedVersion>(
  (value) => typeof value === "object" && value !== null && "pieces" in value && Array.isArray(value.pieces),
);
