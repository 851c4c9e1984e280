import { z } from "zod";
import { isTrailIntact, readTrailProblem } from "~/console/audit/trail.service.server";
import type { Actor } from "~/core/actor";
import { listFailingWork } from "~/core/background.server";
import { rawDatabase } from "~/core/db.server";
import { findStorageProblems, readUnlessDamaged } from "~/core/storage-faults.server";
import { may } from "~/platform/rights/authorization.server";
import { installationOrgId } from "~/platform/settings/settings.service.server";
import { vectorServerState } from "~/work/index/rag-status.service.server";

export const Health = z.object({
  status: z.enum(["ok", "degraded"]).describe("`degraded`: working, but needs an admin's attention"),
  problems: z
    .array(z.object({ code: z.string(), message: z.string() }))
    .optional()
    .describe("The problems, for admins; of the audit trail for those who can read the whole audit log"),
});

export function checkHealth(actor: Actor | undefined): z.infer<typeof Health> {
  readUnlessDamaged(() => rawDatabase().prepare("select 1").get(), undefined);
  const isIntact = readUnlessDamaged(isTrailIntact, false);
  const storage = findStorageProblems();
  const failing = listFailingWork();
  const orgId = installationOrgId();
  const server = orgId && readUnlessDamaged(() => vectorServerState(orgId), undefined);
  const isServed = !server || server.isWell;
  if (isIntact && storage.length === 0 && failing.length === 0 && isServed) return { status: "ok" };
  const trail = isIntact || !actor ? undefined : readUnlessDamaged(() => readTrailProblem(actor), undefined);
  const isManager = actor !== undefined && may(actor, "settings.manage");
  const work = `Work in the background fails: ${failing.join(", ")}. See the server log for the reason.`;
  const problems = [
    ...(isManager ? storage.map(({ code, message }) => ({ code, message })) : []),
    ...(trail ? [{ code: `audit_${trail.code}`, message: trail.message }] : []),
    ...(isManager && !isServed
      ? [
          {
            code: "vectors",
            message: server.error ?? "Qdrant has lost its vectors, which are being added again.",
          },
        ]
      : []),
    ...(isManager && failing.length > 0 ? [{ code: "background", message: work }] : []),
  ];
  return { status: "degraded", ...(problems.length > 0 ? { problems } : {}) };
}
