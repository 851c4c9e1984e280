import { z } from "zod";
import { ROLES } from "~/core/actor";

/** The author when the job was queued. It runs with their current role, never a higher one. */
export const JobActor = z.object({
  kind: z.enum(["user", "token", "workflow", "system"]),
  userId: z.string(),
  role: z.enum(ROLES),
  tokenId: z.string().optional(),
  requestId: z.string().optional(),
  address: z.string().optional(),
});
export type JobActor = z.infer<typeof JobActor>;
