import { z } from "zod";

export const SealInput = z.object({
  before: z.iso.date({ error: "Enter a day" }).describe("Entries before this day are sealed, UTC"),
});
export type SealInput = z.infer<typeof SealInput>;

export const Checkpoint = z.object({
  upToSeq: z.int().describe("Position of its last entry"),
  entries: z.int().describe("Entries since the checkpoint before"),
  createdAt: z.int().describe("When it was sealed, in ms since the epoch"),
  droppedAt: z.int().nullable().describe("When its entries were dropped, in ms since the epoch"),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

export const Dropped = z.object({ dropped: z.int().describe("Deleted entries") });
