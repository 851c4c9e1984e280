import { AppError } from "~/core/errors";
import { searchIndex } from "../search/retrieval/search-index.server";
import type { SearchOnce } from "./run-check.server";

/** Searches one index in one way, through the search's own threads. */
export const searchOnce: SearchOnce = async (index, actor, query, topK, mode, signal) => {
  const { passages, notice } = await searchIndex(index, actor, { query, topK, mode, signal });
  // Recording a keyword-only result as another mode would falsify it.
  if (notice) throw new AppError("unavailable", notice);
  return passages;
};
