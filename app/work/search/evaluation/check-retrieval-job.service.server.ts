import { HOUR } from "~/core/durations";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { checkType } from "./check-type.server";
import { runRequestedCheck } from "./retrieval-check.service.server";
import { type SearchOnce, searchOnce } from "./run-check.server";

export function checkRetrieval(search: SearchOnce) {
  return defineJob({
    ...checkType,
    title: "Check retrieval with saved questions",
    concurrency: 1,
    timeoutMs: 6 * HOUR,
    run: ({ actor, input, signal }) => runRequestedCheck(actor(), input.run, signal, search),
  });
}

export const checkRetrievalJob = checkRetrieval(searchOnce);
