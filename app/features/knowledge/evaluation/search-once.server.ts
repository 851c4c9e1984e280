import { AppError } from "~/core/errors";
import { searchIndex } from "../search/retrieval/search-index.server";
import type { SearchOnce } from "./run-check.server";

export const searchOnce: SearchOnce = async (index, actor, query, topK, mode, signal) => {
  const { passages, notice } = await searchIndex(index, actor, { query, topK, mode, signal });
  // A keyword-only fallback must not be recorded as another mode.
  if (notice) throw new AppError("unavailable", notice);
  return passages;
};
