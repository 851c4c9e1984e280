import { z } from "zod";

export const PageTask = z.object({
  html: z.string(),
  /** Base of relative links. */
  url: z.string(),
  take: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("select"), selector: z.string(), attribute: z.string().optional() }),
    z.object({ kind: z.literal("links") }),
    z.object({ kind: z.literal("tables") }),
  ]),
  limit: z.number().int(),
});
export type PageTask = z.infer<typeof PageTask>;

export const PageParts = z.object({
  title: z.string(),
  items: z.array(z.unknown()),
  truncated: z.boolean(),
});
export type PageParts = z.infer<typeof PageParts>;
