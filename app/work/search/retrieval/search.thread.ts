import { AppError } from "~/core/errors";
import { searchInParallel } from "./search";
import { readerOf } from "./search-connection.thread";
import type { SearchTask } from "./search-task";
import { searchVectors } from "./vector-thread";

/** Searches in a process beside the console. @throws AppError `gone` if the index was replaced meanwhile */
export async function search(task: SearchTask) {
  try {
    return await searchInParallel(readerOf(task.database), task, searchVectors);
  } catch (cause) {
    // A switch drops the old index's tables during searches.
    if (!(cause instanceof Error && cause.message.startsWith("no such table"))) throw cause;
    throw new AppError("gone", "The index was replaced during the search. Search again.", { cause });
  }
}
