import { z } from "zod";
import { ROLES } from "~/core/actor";

/** The author when the job was queued. It runs with their current role, never a higher one. */
export const JobActor = z.object({
  kind: z.enum(["user", "token", "workflow", "system"]),
  userId: z.string(),
  role: z.enum(ROLES),
  tokenId: z.string().optional(),
  /** The token's limits. */
  gateway: z
    .object({ models: z.array(z.string()).readonly().nullable(), requestsPerMinute: z.number().nullable() })
    .optional(),
  requestId: z.string().optional(),
  address: z.string().optional(),
});
export type JobActor = z.infer<typeof JobActor>;
