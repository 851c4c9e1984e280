import { labelOf } from "../embedding/space.server";
import type { IndexRow } from "../indexes.repo.server";
import { INDEX_STATES, type SearchIndex } from "../indexes.schema";

export const storeOf = (store: string): SearchIndex["store"] =>
  store === "sqlite" || store === "qdrant" ? store : "none";

export const embedderOf = ({ space }: Pick<IndexRow, "space">) =>
  space && { kind: space.kind, label: labelOf(space), model: space.model };

/** An index as the API shows it; nothing of one that is only being removed. */
export function toView(row: IndexRow): SearchIndex[] {
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
      done: row.done,
      total: row.total,
      error: row.error,
      createdAt: new Date(row.createdAt).toISOString(),
      servedAt: row.servedAt === null ? null : new Date(row.servedAt).toISOString(),
    },
  ];
}
