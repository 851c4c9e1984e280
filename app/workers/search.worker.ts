import { serve } from "~/core/serve";
import { runSearch } from "~/work/search/retrieval/search.thread";
import { SearchTask } from "~/work/search/retrieval/search-task";

serve(SearchTask, runSearch);
