export interface VectorPoint {
  id: number;
  vector: Float32Array;
  documentId: string;
  /** Of the chunk's content. */
  hash: string;
  /** Whether everyone can view the document. */
  open: boolean;
}

export interface VectorHit {
  chunkId: number;
  /** Cosine, -1 to 1. */
  similarity: number;
}

export interface StoredIndex {
  id: number;
  orgId: string;
  dimensions: number;
  /** Ms since the epoch; a restored database can use an id again. */
  createdAt: number;
}

interface AnyStore {
  id: string;
  problem(orgId: string): string | undefined;
  create(index: StoredIndex): Promise<void>;
  drop(index: StoredIndex): Promise<void>;
}

/** A store in the console's own file; entries and points share commits. */
export interface FileStore extends AnyStore {
  location: "file";
  count(index: StoredIndex): Promise<{ all: number; open: number }>;
  /** Upserts a point within the running transaction. */
  putNow(index: StoredIndex, point: VectorPoint): void;
  removeNow(index: StoredIndex, chunkId: number): void;
}

/** A slice of a server's points in the order of their ids; `next` is the first id after it. */
export interface PointSlice {
  points: { id: number; mark: string; open: boolean }[];
  next: number | undefined;
}

interface ServerSearch {
  /** Restricted documents that the actor can view; undefined if there are too many to name. */
  restrictedIds?: readonly string[] | undefined;
  documentIds?: readonly string[] | undefined;
  /** Breadth of the approximate search; null compares every vector. */
  ef: number | null;
}

/**
 * A remote store. Every call @throws AppError `unavailable` naming it. What reads or writes points returns false or
 * undefined if the server doesn't have the index.
 */
export interface ServerStore extends AnyStore {
  location: "server";
  /** Points per `put`. */
  batchOf(index: StoredIndex): number;
  put(index: StoredIndex, points: readonly VectorPoint[], signal?: AbortSignal): Promise<boolean>;
  remove(index: StoredIndex, chunkIds: readonly number[]): Promise<boolean>;
  setOpen(index: StoredIndex, documentId: string, open: boolean): Promise<boolean>;
  /** The points from an id on. */
  list(index: StoredIndex, from: number, signal?: AbortSignal): Promise<PointSlice | undefined>;
  /** What a point of this chunk says of itself, to tell it from one of another version or index. */
  markOf(index: StoredIndex, chunk: { documentId: string; hash: string }): string;
  /** Whether the server has ordered all points: before that, an approximate search compares the rest one by one. */
  isSettled(index: StoredIndex, signal?: AbortSignal): Promise<boolean>;
  /** The nearest chunks, best first. */
  search(
    index: StoredIndex,
    vector: Float32Array,
    k: number,
    search: ServerSearch,
    signal?: AbortSignal,
  ): Promise<VectorHit[] | undefined>;
}

export type VectorStore = FileStore | ServerStore;
