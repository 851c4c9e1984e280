import { z } from "zod";
import { type Actor, ROLES } from "~/core/actor";

export const JobInput = z.object({
  /** Requester for the audit trail; `system` for schedules. */
  by: z.object({
    userId: z.string(),
    tokenId: z.string().optional(),
    requestId: z.string().optional(),
  }),
  name: z.string().optional(),
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
  /** Canceled by a deletion; Undo resumes it. */
  deleted: z.boolean().optional(),
  /** Purge: visibility changed, so the vectors move. */
  moved: z.boolean().optional(),
  /** Purge: renamed, so the keyword index is updated. */
  renamed: z.boolean().optional(),
  outcome: z.enum(["added", "changed", "unchanged", "duplicate"]).optional(),
  /** Finished without embeddings, which are added later. */
  wordsOnly: z.boolean().optional(),
  code: z.string().optional(),
});
export type JobInput = z.infer<typeof JobInput>;

export function requesterOf(actor: Pick<Actor, "userId" | "tokenId" | "requestId">): JobInput["by"] {
  return {
    userId: actor.userId,
    ...(actor.tokenId ? { tokenId: actor.tokenId } : {}),
    ...(actor.requestId ? { requestId: actor.requestId } : {}),
  };
}
