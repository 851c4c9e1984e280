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
    // Indexes of older versions use another name.
    model: space.kind === BUILTIN.kind ? BUILTIN.model : space.model,
  };

/** Percentages, so that the total number of chunks isn't revealed. */
function toPercentages({ done, total }: Pick<IndexRow, "done" | "total">) {
  return {
    done: total > 0 ? Math.floor((Math.min(done, total) / total) * 100) : 0,
    total: total > 0 ? 100 : 0,
  };
}

/**
 * An index as the API shows it; undefined if it is being removed.
 * @param exact whether the actor may see chunk counts
 */
export function toView(row: IndexRow, canSeeCounts: boolean): SearchIndex[] {
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
      ...(canSeeCounts ? { done: row.done, total: row.total } : toPercentages(row)),
      error: row.error,
      createdAt: new Date(row.createdAt).toISOString(),
      servedAt: row.servedAt === null ? null : new Date(row.servedAt).toISOString(),
    },
  ];
}
