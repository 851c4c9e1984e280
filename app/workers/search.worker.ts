import { AppError } from "~/core/errors";
import { search } from "~/features/knowledge/search/retrieval/search";
import { SearchTask } from "~/features/knowledge/search/retrieval/search-task";
import { readerOf } from "./search-connection";
import { serve } from "./serve";

serve(SearchTask, (task) => {
  try {
    return search(readerOf(task.database), task);
  } catch (cause) {
    // An index that was switched away from loses its tables while searches are still on their way to them.
    if (!(cause instanceof Error && cause.message.startsWith("no such table"))) throw cause;
    throw new AppError("gone", "The index was replaced during the search. Search again.", { cause });
  }
});
