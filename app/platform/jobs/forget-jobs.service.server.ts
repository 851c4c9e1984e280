import type { Db } from "~/core/db.server";
import type { JobType } from "./job-kind.service.server";
import { deleteActiveJobs } from "./jobs.repo.server";

/** Deletes active jobs of some kinds: after a restore, before the queue starts. */
export function forgetJobs(tx: Db, types: readonly Pick<JobType<never>, "kind">[]): void {
  deleteActiveJobs(
    tx,
    types.map(({ kind }) => kind),
  );
}
