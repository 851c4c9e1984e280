// Below the services that benchmarks may import.

export { IngestInput } from "~/work/documents/ingestion/ingest.schema";
export { embedLexically } from "~/work/index/embedding/lexical-embedder";
export { mergeIdleTerms, openTerms } from "~/work/index/stores/terms-index.server";
export { searchInThread } from "~/work/search/retrieval/search-index.server";
export type { SearchTask } from "~/work/search/retrieval/search-task";
export { SearchInput } from "~/work/search/search.schema";
export { migrate } from "~db/migrate";
