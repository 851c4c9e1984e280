import { serve } from "~/core/serve";
import { search } from "~/work/search/retrieval/search.thread";
import { SearchTask } from "~/work/search/retrieval/search-task";
import { startVectorThread } from "~/work/search/retrieval/vector-thread";

serve(SearchTask, search, () => [], startVectorThread);
