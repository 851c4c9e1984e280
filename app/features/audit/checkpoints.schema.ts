import { z } from "zod";

export const SealInput = z.object({
  before: z.iso.date({ error: "Enter a day" }).describe("Entries before this day are sealed, UTC"),
});
export type SealInput = z.infer<typeof SealInput>;

/** A sealed range of the trail. */
export interface Checkpoint {
  upToSeq: number;
  /** Entries since the checkpoint before. */
  entries: number;
  createdAt: number;
  droppedAt: number | null;
}
