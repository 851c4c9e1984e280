import { z } from "zod";

export const SealInput = z.object({
  before: z.iso.date({ error: "Enter a day" }).describe("Entries before this day are sealed, UTC"),
});
export type SealInput = z.infer<typeof SealInput>;

export const Checkpoint = z.object({
  upToSeq: z.int().describe("Position of its last entry"),
  entries: z.int().describe("Entries since the previous checkpoint"),
  createdAt: z.int().describe("Time of sealing, in ms since the epoch"),
  droppedAt: z
    .int()
    .nullable()
    .describe("Time its entries were dropped, in ms since the epoch; null while they are kept"),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

export const Dropped = z.object({ dropped: z.int().describe("Deleted entries") });
