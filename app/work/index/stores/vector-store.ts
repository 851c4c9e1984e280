export interface VectorPoint {
  id: number;
  vector: Float32Array;
  documentId: string;
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
}

interface AnyStore {
  id: string;
  problem(orgId: string): string | undefined;
  create(index: StoredIndex): Promise<void>;
  drop(index: StoredIndex): Promise<void>;
  count(index: StoredIndex): Promise<{ all: number; open: number }>;
}

/** A store in the console's own file; entries and points share commits. */
export interface FileStore extends AnyStore {
  location: "file";
  /** Upserts a point within the running transaction. */
  putNow(index: StoredIndex, point: VectorPoint): void;
  removeNow(index: StoredIndex, chunkId: number): void;
}

/** A remote store. Every call @throws AppError `unavailable` naming it. */
export interface ServerStore extends AnyStore {
  location: "server";
  /** Points per `put`. */
  batchOf(index: StoredIndex): number;
  put(index: StoredIndex, points: readonly VectorPoint[], signal?: AbortSignal): Promise<void>;
  remove(index: StoredIndex, chunkIds: readonly number[]): Promise<void>;
  setOpen(index: StoredIndex, documentId: string, open: boolean): Promise<void>;
  /**
   * The nearest chunks, best first.
   * @param scope.restrictedIds restricted documents that the actor can view
   */
  search(
    index: StoredIndex,
    vector: Float32Array,
    k: number,
    scope: { restrictedIds: readonly string[] | undefined; documentIds?: readonly string[] | undefined },
    signal?: AbortSignal,
  ): Promise<VectorHit[]>;
}

export type VectorStore = FileStore | ServerStore;
