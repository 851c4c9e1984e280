import { z } from "zod";
import { ROLES } from "~/core/actor";

/** A job runs with the current rights of its author, at most those of then. */
export const JobActor = z.object({
  kind: z.enum(["user", "token", "workflow", "system"]),
  userId: z.string(),
  role: z.enum(ROLES),
  tokenId: z.string().optional(),
  requestId: z.string().optional(),
  address: z.string().optional(),
});
export type JobActor = z.infer<typeof JobActor>;
