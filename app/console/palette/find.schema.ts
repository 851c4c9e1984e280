import { z } from "zod";

export const FindQuery = z.object({
  q: z
    .string()
    .trim()
    .max(200)
    .default("")
    .describe("Words that must all occur in a name, title, label or one of your messages"),
});

export const FoundItem = z.object({
  kind: z.enum(["conversation", "document", "persona", "model", "setting"]),
  id: z.string(),
  title: z.string(),
  to: z.string(),
});
export type FoundItem = z.infer<typeof FoundItem>;

export const FoundResponse = z.object({ found: z.array(FoundItem) });
