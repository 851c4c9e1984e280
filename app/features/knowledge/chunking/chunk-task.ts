import { z } from "zod";
import type { Packs } from "~/core/packs";

/** What the chunking thread is told. It takes the text from the database by itself. */
export const ChunkTask = z.object({
  /** The database's file. */
  database: z.string(),
  versionId: z.string(),
  title: z.string(),
  chunking: z.object({ target: z.number(), overlap: z.number() }),
});
export type ChunkTask = z.infer<typeof ChunkTask>;

/** Chunks as the thread hands them over, from the last to the first. Checked at the surface only: they are our own. */
export const PackedChunks = z.custom<Packs>((value) => Array.isArray(value));
