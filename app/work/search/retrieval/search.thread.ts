import { AppError } from "~/core/errors";
import { search } from "./search";
import { readerOf } from "./search-connection.thread";
import type { RetrievedPassages, SearchTask } from "./search-task";

/** Searches in a process beside the console. @throws AppError `gone` if the index was replaced meanwhile */
export function runSearch(task: SearchTask): RetrievedPassages {
  try {
    return search(readerOf(task.database), task);
  } catch (cause) {
    // A switch drops the old index's tables during searches.
    if (!(cause instanceof Error && /^no such (?:fts5 )?table/.test(cause.message))) throw cause;
    throw new AppError("gone", "The index was replaced during the search. Search again.", { cause });
  }
}
