// Below the services that benchmarks may import.
export { embedLexically } from "~/features/knowledge/index/embedding/lexical-embedder";
export { mergeIdleTerms, openTerms } from "~/features/knowledge/index/stores/terms-index.server";
export { IngestInput } from "~/features/knowledge/ingestion/ingest.schema";
export { searchInThread } from "~/features/knowledge/search/retrieval/search-pool.server";
export type { SearchTask } from "~/features/knowledge/search/retrieval/search-task";
export { SearchInput } from "~/features/knowledge/search/search.schema";
export { migrate } from "~db/migrate";
