// Below the services that benchmarks may import.

export { IngestInput } from "~/features/knowledge/ingestion/ingest.schema";
export { searchInThread } from "~/features/knowledge/search/retrieval/search-pool.server";
export type { SearchTask } from "~/features/knowledge/search/retrieval/search-task";
export { SearchInput } from "~/features/knowledge/search/search.schema";
export { embedLexically } from "~/work/index/embedding/lexical-embedder";
export { mergeIdleTerms, openTerms } from "~/work/index/stores/terms-index.server";
export { migrate } from "~db/migrate";
