import { z } from "zod";
import type { Packs } from "~/core/packs";
import type { DocumentFacts, TextPiece } from "./document";

/** Message to the reading process, which reads the bytes from the database. */
const VersionTask = z.object({
  /** The database's file. */
  database: z.string(),
  versionId: z.string(),
  /** A file's name or an address's path; may be empty. */
  name: z.string(),
  contentType: z.string(),
});
export type VersionTask = z.infer<typeof VersionTask>;

/** A file whose text alone is wanted, as it is. */
const FileTask = z.object({
  /** Its path on the disk. */
  path: z.string(),
  /** As its sender calls it. */
  name: z.string(),
  contentType: z.string(),
  /** Characters of its text at most. */
  maxLength: z.number(),
});
export type FileTask = z.infer<typeof FileTask>;

/** Message to the reading process. */
export const ReadTask = z.union([VersionTask, FileTask]);

/** The text of a file. */
export const FileText = z.object({ mediaType: z.string(), text: z.string() });
export type FileText = z.infer<typeof FileText>;

/** A version as it was read, ready to be stored. */
export interface ReadVersion {
  title: string;
  facts: DocumentFacts;
  /** SHA-256 of the text, in hex. */
  textHash: string;
  /** In characters. */
  textLength: number;
  pieces: Iterable<TextPiece>;
}

/** As the thread hands it over. */
export interface PackedVersion extends Omit<ReadVersion, "pieces"> {
  pieces: Packs;
}

/** Checked at the surface only: it comes from our own code, and looking at each piece would hold the main thread. */
export const PackedVersion = z.custom<PackedVersion>(
  (value) => typeof value === "object" && value !== null && "pieces" in value && Array.isArray(value.pieces),
);
