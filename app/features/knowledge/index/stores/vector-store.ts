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

interface AnyStore {
  id: string;
  label: string;
  /** Why it can't be used as it is configured, for a person; undefined when it can. */
  problem(orgId: string): string | undefined;
  /** Makes the index's place if it isn't there. */
  create(index: StoredIndex): Promise<void>;
  /** Takes the index's place away, also where it never was. */
  drop(index: StoredIndex): Promise<void>;
}

/** A store in the console's own file: a point is committed with its entry. The search thread reads it by itself. */
export interface FileStore extends AnyStore {
  where: "file";
  /** Puts a point in within the running transaction, in place of one with the same id. */
  putNow(index: StoredIndex, point: VectorPoint): void;
  removeNow(index: StoredIndex, chunkId: number): void;
  /** Its points by id, a page of them; none where its place is gone. */
  listNow(index: StoredIndex, after: number, limit: number): { id: number; open: boolean }[];
}

/** A store that is a server of its own. Every call @throws AppError `unavailable` that names it. */
export interface ServerStore extends AnyStore {
  where: "server";
  /** How many points one call may carry. */
  batchOf(index: StoredIndex): number;
  /** Puts points in, in place of those with the same ids. */
  put(index: StoredIndex, points: readonly VectorPoint[], signal?: AbortSignal): Promise<void>;
  remove(index: StoredIndex, chunkIds: readonly number[]): Promise<void>;
  /** How many points there are, and how many of them everyone sees; none where its place is gone. */
  count(index: StoredIndex): Promise<{ all: number; open: number }>;
  /** Says of a document's points whether everyone sees them. */
  setOpen(index: StoredIndex, documentId: string, open: boolean): Promise<void>;
  /**
   * The nearest chunks, best first.
   * @param scope.namedIds the restricted documents that the actor sees; those visible to everyone need no list. Without
   * it the result includes hidden ones, which the caller must drop
   */
  search(
    index: StoredIndex,
    vector: Float32Array,
    k: number,
    scope: { namedIds: readonly string[] | undefined; documentIds?: readonly string[] | undefined },
    signal?: AbortSignal,
  ): Promise<VectorHit[]>;
}

/**
 * Where the vectors of an index are searched: one file each, listed in index.server.ts. The embeddings table is the truth;
 * a store can be emptied and filled again at any time.
 */
export type VectorStore = FileStore | ServerStore;
