import { z } from "zod";

export const FindQuery = z.object({
  q: z
    .string()
    .trim()
    .max(200)
    .default("")
    .describe("Words that must all occur in a name, title, label or one of your messages"),
});

export const Found = z.object({
  kind: z.enum(["conversation", "document", "persona", "model", "setting"]),
  id: z.string(),
  title: z.string(),
  to: z.string(),
});
export type Found = z.infer<typeof Found>;

export const FoundAnswer = z.object({ found: z.array(Found) });
