import { readerOf } from "~/features/knowledge/retrieval/reader";
import { search } from "~/features/knowledge/retrieval/search";
import { SearchTask } from "~/features/knowledge/retrieval/search-task";
import { serve } from "./serve";

serve(SearchTask, (task) => search(readerOf(task.database), task));
