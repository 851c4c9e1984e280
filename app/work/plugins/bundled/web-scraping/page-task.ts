import { z } from "zod";

export const PageSelection = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("select"), selector: z.string(), attribute: z.string().optional() }),
  z.object({ kind: z.literal("links") }),
  z.object({ kind: z.literal("tables") }),
]);
export type PageSelection = z.infer<typeof PageSelection>;

export const PageParts = z.object({
  title: z.string(),
  items: z.array(z.unknown()),
  truncated: z.boolean(),
});
export type PageParts = z.infer<typeof PageParts>;
