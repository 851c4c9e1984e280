// What the search's benchmark measures lies below the services, which are all that benchmarks may import of the app.
export { embedLexically } from "~/features/knowledge/embedding/lexical-embedder";
export { IngestInput } from "~/features/knowledge/ingest.schema";
export { searchInThread } from "~/features/knowledge/search/retrieval/search-pool.server";
export type { SearchTask } from "~/features/knowledge/search/retrieval/search-task";
export { SearchInput } from "~/features/knowledge/search/search.schema";
export { openTerms, settleTerms } from "~/features/knowledge/stores/terms-index.server";
export { migrate } from "~db/migrate";
