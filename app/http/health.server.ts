import { z } from "zod";
import type { Actor } from "~/core/actor";
import { listFailingWork } from "~/core/background.server";
import { rawDatabase } from "~/core/db.server";
import { isTrailIntact, readTrailProblem } from "~/features/audit/trail.service.server";
import { may } from "~/features/members/authorisation.server";

export const Health = z.object({
  status: z.enum(["ok", "degraded"]).describe("`degraded`: working, but needs an admin's attention"),
  problems: z
    .array(z.object({ code: z.string(), message: z.string() }))
    .optional()
    .describe("The problems, for those who can read the whole audit log or manage settings"),
});

export function checkHealth(actor: Actor | undefined): z.infer<typeof Health> {
  rawDatabase().prepare("select 1").get();
  const failing = listFailingWork();
  if (isTrailIntact() && failing.length === 0) return { status: "ok" };
  const trail = actor && readTrailProblem(actor);
  const problems = trail ? [{ code: `audit_${trail.code}`, message: trail.message }] : [];
  if (actor && failing.length > 0 && may(actor, "settings.manage"))
    problems.push({
      code: "background",
      message: `Work in the background fails: ${failing.join(", ")}. See the server log for the reason.`,
    });
  return { status: "degraded", ...(problems.length > 0 ? { problems } : {}) };
}
