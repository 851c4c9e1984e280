import { BUILTIN } from "../embedding/embedder";
import { labelOf } from "../embedding/space.server";
import type { IndexRow } from "../indexes.repo.server";
import { INDEX_STATES, type SearchIndex } from "../indexes.schema";

export const storeOf = (store: string): SearchIndex["store"] =>
  store === "sqlite" || store === "qdrant" ? store : "none";

export const embedderOf = ({ space }: Pick<IndexRow, "space">) =>
  space && {
    kind: space.kind,
    label: labelOf(space),
    // Earlier indexes have another name for it.
    model: space.kind === BUILTIN.kind ? BUILTIN.model : space.model,
  };

/** How many chunks there are of all documents isn't everybody's to know: how far that is, in hundredths, down to the whole. */
function inHundredths({ done, total }: Pick<IndexRow, "done" | "total">) {
  return {
    done: total > 0 ? Math.floor((Math.min(done, total) / total) * 100) : 0,
    total: total > 0 ? 100 : 0,
  };
}

/**
 * An index as the API shows it; nothing of one that is only being removed.
 *
 * @param exact whether the reader may know how many chunks there are, of what they don't see too
 */
export function toView(row: IndexRow, exact: boolean): SearchIndex[] {
  const state = INDEX_STATES.find((one) => one === row.state);
  if (!state) return [];
  const [, chunkTokens = 0, chunkOverlap = 0] = row.chunkSet.key.split("/").map(Number);
  return [
    {
      id: String(row.id),
      state,
      store: storeOf(row.store),
      embedder: embedderOf(row),
      chunkTokens,
      chunkOverlap,
      ...(exact ? { done: row.done, total: row.total } : inHundredths(row)),
      error: row.error,
      createdAt: new Date(row.createdAt).toISOString(),
      servedAt: row.servedAt === null ? null : new Date(row.servedAt).toISOString(),
    },
  ];
}
