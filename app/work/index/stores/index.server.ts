import { qdrantStore } from "./qdrant.store.server";
import { sqliteStore } from "./sqlite.store.server";
import type { VectorStore } from "./vector-store";

const STORES = [sqliteStore, qdrantStore] as const satisfies readonly VectorStore[];

export function findStore(id: string): VectorStore | undefined {
  return STORES.find((store) => store.id === id);
}
