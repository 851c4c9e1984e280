import { atLeast, type Role } from "~/core/actor";
import { runInBatches } from "~/core/batches.server";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { may } from "~/platform/rights/authorization.server";
import { roleOf } from "~/platform/rights/current-role.server";
import { JobInput } from "../jobs/job";
import { type JobRow, updateJob } from "../jobs/jobs.repo.server";
import { acceptAddress } from "./accept-address.server";
import { findBatch, listBatchSources } from "./batches/batches.repo.server";
import type { IngestionContext } from "./context";
import { readSitemap } from "./sitemap.server";

/** Uses the requester's current role. */
function requireRole(tx: Db, { orgId, userId }: JobRow, requestedRole: Role): Role {
  const role = roleOf(tx, orgId, userId);
  if (!role || !may({ role }, "documents.write"))
    throw new AppError(
      "forbidden",
      "The person who started this can no longer add documents. Start it again as someone who can.",
    );
  return atLeast(role, requestedRole) ? requestedRole : role;
}

/** Queues a sitemap's URLs; another attempt skips those queued before. */
export async function runSitemap(job: JobRow, { signal, progress }: IngestionContext): Promise<void> {
  const { sitemap, by } = JobInput.parse(job.input);
  const { orgId, batchId, userId } = job;
  if (!sitemap || !batchId) return;
  progress("fetching", 0, 0);
  const addresses = await readSitemap(sitemap.url, signal);
  const knownSources = new Set(listBatchSources(db(), batchId));
  await runInBatches(
    addresses.filter((address) => !knownSources.has(address)),
    (tx, url) => {
      if (findBatch(tx, { orgId, userId }, batchId)?.cancelledAt) return;
      const actor = { ...by, orgId, userId, role: requireRole(tx, job, sitemap.role) };
      acceptAddress(tx, actor, sitemap.place, { url, batchId });
    },
    { signal },
  );
  const input: JobInput = { ...JobInput.parse(job.input), outcome: "added" };
  transaction((tx) =>
    updateJob(tx, job.id, "running", { state: "done", input, step: null, finishedAt: now() }),
  );
}
