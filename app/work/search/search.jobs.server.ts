import { HOUR } from "~/core/durations";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { requestedCheck, runRequestedCheck } from "./evaluation/retrieval-check.service.server";
import { type SearchOnce, searchOnce } from "./evaluation/run-check.server";

/** @param search replaced by tests */
export const searchJobs = (search: SearchOnce = searchOnce): readonly JobKind[] => [
  defineJob({
    ...requestedCheck,
    title: "Check retrieval with saved questions",
    concurrency: 1,
    timeoutMs: 6 * HOUR,
    run: ({ actor, input, signal }) => runRequestedCheck(actor(), input.run, signal, search),
  }),
];
