import { qdrantStore } from "./qdrant.store.server";
import { sqliteStore } from "./sqlite.store.server";
import type { VectorStore } from "./vector-store";

const STORES = [sqliteStore, qdrantStore] as const satisfies readonly VectorStore[];

/** The store of an index; nothing for keywords only, or for one that another program knew. */
export function findStore(id: string): VectorStore | undefined {
  return STORES.find((store) => store.id === id);
}
