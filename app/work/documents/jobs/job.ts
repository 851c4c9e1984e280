import { z } from "zod";
import { type Actor, ROLES } from "~/core/actor";
import { Visibility } from "../documents.schema";

/** Where a new document goes and who may read it. */
export const IngestTarget = z.object({
  categoryId: z.string(),
  visibility: Visibility,
  readers: z.array(z.string()),
  /** The project whose file it becomes; its owner owns the document. */
  project: z.object({ id: z.string(), ownerId: z.string() }).optional(),
  /** Refresh interval (ms); null for never. */
  refreshEvery: z.number().nullable().default(null),
});
export type IngestTarget = z.infer<typeof IngestTarget>;

/** The input of all jobs of documents. */
export const JobInput = z.object({
  /** Requester for the audit trail; `system` for schedules. */
  by: z.object({
    userId: z.string(),
    tokenId: z.string().optional(),
    requestId: z.string().optional(),
  }),
  documentId: z.string().optional(),
  versionId: z.string().optional(),
  batchId: z.string().optional(),
  /** Fetches a URL again. */
  refresh: z.boolean().optional(),
  sitemap: z
    .object({
      url: z.string(),
      role: z.enum(ROLES),
      place: IngestTarget,
    })
    .optional(),
  /** Visibility changed, so the vectors move. */
  moved: z.boolean().optional(),
  /** Renamed, so the keyword index is updated. */
  renamed: z.boolean().optional(),
});
export type JobInput = z.infer<typeof JobInput>;

/** How a document's last ingestion ended, kept with the document. */
export const LastJob = z.object({
  id: z.string(),
  state: z.enum(["done", "failed", "cancelled"]),
  at: z.number(),
  error: z.string().optional(),
  code: z.string().optional(),
  versionId: z.string().optional(),
  outcome: z.enum(["added", "changed", "unchanged"]).optional(),
  /** Finished without embeddings, which are added later. */
  wordsOnly: z.boolean().optional(),
  /** Canceled by a deletion; Undo resumes it. */
  deleted: z.boolean().optional(),
});
export type LastJob = z.infer<typeof LastJob>;

export function lastJobOf({ lastJob }: { lastJob: unknown }): LastJob | undefined {
  return LastJob.safeParse(lastJob).data;
}

export type Requester = Pick<Actor, "orgId" | "userId" | "tokenId" | "requestId">;

export function requesterOf(actor: Pick<Actor, "userId" | "tokenId" | "requestId">): JobInput["by"] {
  return {
    userId: actor.userId,
    ...(actor.tokenId ? { tokenId: actor.tokenId } : {}),
    ...(actor.requestId ? { requestId: actor.requestId } : {}),
  };
}
