import { z } from "zod";
import { type Actor, ROLES } from "~/core/actor";

export const JobInput = z.object({
  /** Who asked for it, for the audit trail; `system` for the schedule. */
  by: z.object({
    userId: z.string(),
    tokenId: z.string().optional(),
    requestId: z.string().optional(),
  }),
  /** What batches call it while it has no document. */
  name: z.string().optional(),
  /** Of a sitemap: its address, where its documents go, and with which role that was asked. */
  sitemap: z
    .object({
      url: z.string(),
      role: z.enum(ROLES),
      place: z.object({
        categoryId: z.string(),
        visibility: z.enum(["organisation", "named"]),
        readers: z.array(z.string()),
        refreshEvery: z.number().nullable().default(null),
      }),
    })
    .optional(),
  /** How often the process died while it ran, since it last got further. */
  crashes: z.number().int().default(0),
  furthest: z
    .object({ step: z.enum(["fetching", "reading", "chunking", "embedding", "indexing"]), done: z.number() })
    .optional(),
  /** It was cancelled because its document was deleted: Undo continues with it. */
  deleted: z.boolean().optional(),
  /** Of a purge: who sees the document has changed, so its points move to where those look. */
  moved: z.boolean().optional(),
  /** Of a purge: the document was renamed, so its chunks' terms are rewritten. */
  renamed: z.boolean().optional(),
  outcome: z.enum(["added", "changed", "unchanged", "duplicate"]).optional(),
  /** It ended without the vectors that its document is to have: they follow when they can be made. */
  wordsOnly: z.boolean().optional(),
  code: z.string().optional(),
});
export type JobInput = z.infer<typeof JobInput>;

export function askedBy(actor: Pick<Actor, "userId" | "tokenId" | "requestId">): JobInput["by"] {
  return {
    userId: actor.userId,
    ...(actor.tokenId ? { tokenId: actor.tokenId } : {}),
    ...(actor.requestId ? { requestId: actor.requestId } : {}),
  };
}
