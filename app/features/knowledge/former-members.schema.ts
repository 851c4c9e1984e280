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

/** What becomes of them at the removal itself: nothing yet, unless it says more. */
export const RemovalInput = z
  .object({
    documents: z
      .enum(["keep", "delete", "hand-over"])
      .default("keep")
      .describe("What becomes of their documents that only named members see"),
    to: z.string().max(64).optional().describe("The id of the member they are handed over to"),
  })
  .transform(({ documents, to = "" }, context): LeftDocumentsInput | undefined => {
    if (documents === "keep") return undefined;
    const choice = documents === "delete" ? { action: documents } : { action: documents, to };
    const parsed = LeftDocumentsInput.safeParse(choice);
    if (parsed.success) return parsed.data;
    for (const { path, message } of parsed.error.issues)
      context.addIssue({ code: "custom", path: [...path], message });
    return z.NEVER;
  });

/** Somebody who is no member any more, with how many documents of named members they left. */
export const FormerMember = z.object({
  id: z.string(),
  name: z.string(),
  documents: z.number().int().describe("Seen by named members alone; nobody here learns more of them"),
});
export type FormerMember = z.infer<typeof FormerMember>;
