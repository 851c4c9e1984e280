import { AppError } from "~/core/errors";
import { searchInParallel } from "~/work/search/retrieval/search";
import { SearchTask } from "~/work/search/retrieval/search-task";
import { readerOf } from "./search-connection";
import { serve } from "./serve";
import { searchVectors, startVectorThread } from "./vector-thread";

const search = async (task: SearchTask) => {
  try {
    return await searchInParallel(readerOf(task.database), task, searchVectors);
  } catch (cause) {
    // A switch drops the old index's tables during searches.
    if (!(cause instanceof Error && cause.message.startsWith("no such table"))) throw cause;
    throw new AppError("gone", "The index was replaced during the search. Search again.", { cause });
  }
};

serve(SearchTask, search, () => [], startVectorThread);
