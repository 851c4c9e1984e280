import { z } from "zod";
import type { Packs } from "~/core/packs";

/** Message to the chunking thread, which reads the text from the database. */
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
