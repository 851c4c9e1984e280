import { z } from "zod";
import type { Actor } from "~/core/actor";
import { rawDatabase } from "~/core/db.server";
import { isTrailIntact, readTrailProblem } from "~/features/audit/trail.service.server";

export const Health = z.object({
  status: z.enum(["ok", "degraded"]).describe("`degraded`: working, but needs an admin's attention"),
  problems: z
    .array(z.object({ code: z.string(), message: z.string() }))
    .optional()
    .describe("The problem, for those who can read the whole audit log"),
});

export function checkHealth(actor: Actor | undefined): z.infer<typeof Health> {
  rawDatabase().prepare("select 1").get();
  if (isTrailIntact()) return { status: "ok" };
  const problem = actor && readTrailProblem(actor);
  if (!problem) return { status: "degraded" };
  return {
    status: "degraded",
    problems: [{ code: `audit_${problem.code}`, message: problem.message }],
  };
}
