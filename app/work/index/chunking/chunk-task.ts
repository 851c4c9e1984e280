import { z } from "zod";
import type { Packs } from "~/core/packs";

export const ChunkTask = z.object({
  database: z.string(),
  versionId: z.string(),
  title: z.string(),
  chunking: z.object({ target: z.number(), overlap: z.number() }),
});
export type ChunkTask = z.infer<typeof ChunkTask>;

/** Chunks in reverse order. Not parsed: they come from our own worker. */
export const PackedChunks = z.custom<Packs>((value) => Array.isArray(value));
