// Below the services that benchmarks may import.

export { mergeIdleTerms, openTerms } from "~/work/index/stores/terms-index.server";
export { searchInThread } from "~/work/search/retrieval/search-index.server";
export type { SearchTask } from "~/work/search/retrieval/search-task";
export { migrate } from "~db/migrate";
