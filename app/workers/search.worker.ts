import { search } from "~/features/knowledge/retrieval/search";
import { SearchTask } from "~/features/knowledge/retrieval/search-task";
import { readerOf } from "./search-connection";
import { serve } from "./serve";

serve(SearchTask, (task) => search(readerOf(task.database), task));
