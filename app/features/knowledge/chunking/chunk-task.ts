import { z } from "zod";
import type { Chunk } from "./chunk";

/** What the chunking thread is told. It takes the text from the database by itself. */
export const ChunkTask = z.object({
  /** The database's file. */
  database: z.string(),
  versionId: z.string(),
  title: z.string(),
  chunking: z.object({ target: z.number(), overlap: z.number() }),
});
export type ChunkTask = z.infer<typeof ChunkTask>;

/** Checked at the surface only: it comes from our own code, and looking at each chunk would hold the main thread. */
export const Chunks = z.custom<Chunk[]>((value) => Array.isArray(value));
