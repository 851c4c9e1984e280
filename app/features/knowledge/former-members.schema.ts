import { z } from "zod";

/** What becomes of the documents that only their creator and named members see, once their creator is no member. */
export const LeftDocumentsInput = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("delete") }),
  z.strictObject({
    action: z.literal("hand-over"),
    to: z
      .string()
      .min(1, "Choose who gets them")
      .max(64)
      .describe("The id of a member who may add documents"),
  }),
]);
export type LeftDocumentsInput = z.infer<typeof LeftDocumentsInput>;

/** Somebody who is no member any more, with how many documents of named members they left. */
export const FormerMember = z.object({
  id: z.string(),
  name: z.string(),
  documents: z.number().int().describe("Seen by named members alone; nobody here learns more of them"),
});
export type FormerMember = z.infer<typeof FormerMember>;
