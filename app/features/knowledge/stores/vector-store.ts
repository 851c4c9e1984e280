import type { Actor } from "~/core/actor";

/** A vector on its way into a store. */
export interface VectorPoint {
  /** The chunk's id. */
  id: number;
  /** Of length 1. */
  vector: Float32Array;
  documentId: string;
  /** Whether everyone sees its document. */
  open: boolean;
}

export interface VectorHit {
  chunkId: number;
  /** Cosine, -1 to 1. */
  similarity: number;
}

/** An index as its store needs to know it. */
export interface StoredIndex {
  id: number;
  orgId: string;
  dimensions: number;
}

/** What a search may find: decided before it, never after. */
export interface SearchScope {
  actor: Pick<Actor, "orgId" | "userId">;
  /** The documents the filters leave; undefined for all. */
  documentIds?: string[] | undefined;
}

/**
 * Where the vectors of an index are searched: one file each, listed in index.server.ts. The embeddings table is the truth;
 * a store can be emptied and filled again at any time.
 */
export interface VectorStore {
  id: string;
  label: string;
  /** Why it can't be used now, for a person; undefined when it can. */
  problem(orgId: string): string | undefined;
  /** Makes the index's place if it isn't there. */
  create(index: StoredIndex): Promise<void>;
  /** Puts points in, in place of those with the same id. Bounded by the caller to a few hundred at once. */
  put(index: StoredIndex, points: readonly VectorPoint[]): Promise<void>;
  remove(index: StoredIndex, chunkIds: readonly number[]): Promise<void>;
  /** How many points there are; to be compared with `index_entries`. */
  count(index: StoredIndex): Promise<number>;
  /** Takes the index's place away, also where it never was. */
  drop(index: StoredIndex): Promise<void>;
  /**
   * The nearest chunks, best first. Absent for the store that the search thread reads by itself (sqlite).
   *
   * @throws AppError `unavailable` naming the store
   */
  search?(
    index: StoredIndex,
    vector: Float32Array,
    k: number,
    scope: SearchScope,
    signal?: AbortSignal,
  ): Promise<VectorHit[]>;
}
