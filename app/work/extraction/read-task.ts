import { z } from "zod";
import type { Packs } from "~/core/packs";
import type { Facts, TextPiece } from "./document.schema";

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
  path: z.string(),
  name: z.string(),
  contentType: z.string(),
  /** In characters. */
  maxLength: z.number(),
});
export type FileTask = z.infer<typeof FileTask>;

export const ReadTask = z.union([VersionTask, FileTask]);

export const FileText = z.object({ mediaType: z.string(), text: z.string() });
export type FileText = z.infer<typeof FileText>;

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
