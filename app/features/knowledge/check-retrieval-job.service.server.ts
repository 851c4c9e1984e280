import { defineJob } from "../jobs/job-kind.service.server";
import { checkType } from "./retrieval-check/check-type.server";
import type { SearchOnce } from "./retrieval-check/run-check.server";
import { searchOnce } from "./retrieval-check/search-once.server";
import { makeRequestedCheck } from "./retrieval-check.service.server";

const HOUR = 60 * 60_000;

/** The kind with a search of the user's own. */
export function checkRetrieval(search: SearchOnce) {
  return defineJob({
    ...checkType,
    title: "Check retrieval with saved questions",
    concurrency: 1,
    timeoutMs: 6 * HOUR,
    run: ({ actor, input, signal }) => makeRequestedCheck(actor(), input.run, signal, search),
  });
}

export const checkRetrievalJob = checkRetrieval(searchOnce);
