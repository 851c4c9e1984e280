import { z } from "zod";
import { ROLES } from "~/core/actor";

/** Who asked for a job. It runs with their rights as of then, unless they have fewer now. */
export const JobActor = z.object({
  kind: z.enum(["user", "token", "workflow", "system"]),
  userId: z.string(),
  role: z.enum(ROLES),
  tokenId: z.string().optional(),
  requestId: z.string().optional(),
  /** The network address of that request. */
  address: z.string().optional(),
});
export type JobActor = z.infer<typeof JobActor>;
