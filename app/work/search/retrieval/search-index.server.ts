import type { Actor } from "~/core/actor";
import { db, rawDatabase } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { bundledWorker, ProcessPool } from "~/core/worker-pool.server";
import { labelOf } from "~/work/index/embedding/choose-embedder.server";
import { embedQuery } from "~/work/index/embedding/embed-texts.server";
import { reportLoss } from "~/work/index/generations/pending-work.server";
import { LOST, toStoredIndex } from "~/work/index/generations/put-chunks.server";
import { EXACT } from "~/work/index/generations/server-index.server";
import { countChunksOf, type IndexRow, listRestrictedDocuments } from "~/work/index/indexes.repo.server";
import { findStore } from "~/work/index/stores/index.server";
import type { ServerStore, VectorHit } from "~/work/index/stores/vector-store";
import { type DocumentFilters, listSearchedDocuments } from "../search.repo.server";
import { type RetrievedPassage, RetrievedPassages, type SearchMode, type SearchTask } from "./search-task";

export interface IndexSearch {
  query: string;
  topK: number;
  mode: SearchMode;
  filters?: DocumentFilters;
  /** The project whose files are searched too. */
  folderId?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface IndexAnswer {
  passages: RetrievedPassage[];
  store: "sqlite" | "qdrant" | "none";
  embedder: string | null;
  notice: string | null;
}

interface VectorPart extends Pick<IndexAnswer, "store" | "embedder" | "notice"> {
  vector?: Float32Array;
  hits?: VectorHit[];
  ask?: Ask;
}

const NO_VECTORS: VectorPart = { store: "none", embedder: null, notice: null };

const hitLimitFor = (topK: number) => Math.max(50, topK * 4);
const MAX_HITS = 5000;
/** Maximum document ids in a remote filter; beyond it, results are filtered locally. */
const MAX_DOCUMENTS = 1000;

type Ask = (k: number) => Promise<VectorHit[]>;
type Task = Omit<SearchTask, "database" | "hits" | "vector">;

function askServer(
  store: ServerStore,
  index: IndexRow,
  actor: Actor,
  vector: Float32Array,
  { filters = {}, signal }: IndexSearch,
): Ask {
  const stored = toStoredIndex(index);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const ids = isFiltered ? listSearchedDocuments(db(), actor, filters, MAX_DOCUMENTS + 1) : [];
  const restricted = listRestrictedDocuments(db(), actor.orgId, actor.userId, MAX_DOCUMENTS + 1);
  const documentIds = isFiltered && ids.length <= MAX_DOCUMENTS ? ids : undefined;
  // Of few candidates a search through all others could find too few.
  const isSmall = documentIds !== undefined && countChunksOf(db(), documentIds, EXACT + 1) <= EXACT;
  const scope = {
    ef: isSmall ? null : index.searchEf,
    restrictedIds: restricted.length <= MAX_DOCUMENTS ? restricted : undefined,
    documentIds,
  };
  return async (k) => {
    const hits = await store.search(stored, vector, k, scope, signal);
    if (!hits && reportLoss(index)) throw new AppError("unavailable", LOST);
    return hits ?? [];
  };
}

/** The query's vector as the file's search would use it: the built-in embedder's moves towards the best keywords. */
async function moveVector(vector: Float32Array, index: IndexRow, task: Task): Promise<Float32Array> {
  if (index.space?.kind !== "lexical" || task.mode === "vectors") return vector;
  const { moved } = await searchInThread({ ...task, vector, isFeedback: true });
  return moved ?? vector;
}

async function prepareVectors(
  index: IndexRow,
  actor: Actor,
  search: IndexSearch,
  task: Task,
): Promise<VectorPart> {
  const { space } = index;
  const store = findStore(index.store);
  if (search.mode === "keywords" || !space || !store || space.dimensions === 0) return NO_VECTORS;
  const embedder = labelOf(space);
  const used = { store: store.location === "file" ? "sqlite" : "qdrant", embedder, notice: null } as const;
  try {
    const problem = store.problem(actor.orgId);
    if (problem) throw new AppError("unavailable", problem);
    if (index.isLost) throw new AppError("unavailable", LOST);
    const vector = await embedQuery(actor.orgId, space, search.query, search.signal);
    if (store.location === "file") return { ...used, vector };
    const moved = await moveVector(vector, index, task);
    const ask = askServer(store, index, actor, moved, search);
    return { ...used, ask, hits: await ask(hitLimitFor(search.topK)) };
  } catch (error) {
    if (!(error instanceof AppError) || search.signal?.aborted) throw error;
    return { ...NO_VECTORS, notice: `Only keywords were searched. ${error.message}` };
  }
}

/** Requests more remote hits while too many are outdated. */
async function refill(
  task: Omit<SearchTask, "database" | "hits">,
  hits: VectorHit[] | undefined,
  ask: Ask | undefined,
  hitLimit = hitLimitFor(task.limit),
): Promise<RetrievedPassages> {
  const results = await searchInThread({ ...task, hits });
  const all = !hits || hits.length < hitLimit || hitLimit >= MAX_HITS;
  if (!ask || all || results.remaining >= task.limit) return results;
  const more = Math.min(hitLimit * 4, MAX_HITS);
  // Keeps the current result on failure.
  const next = await ask(more).catch(() => undefined);
  return next ? refill(task, next, ask, more) : results;
}

/**
 * Searches one index by keywords, vectors or both. Falls back to keywords with a notice.
 * @throws AppError `unavailable` when the search itself takes too long; the signal's reason
 */
export async function searchIndex(index: IndexRow, actor: Actor, search: IndexSearch): Promise<IndexAnswer> {
  const task: Task = {
    orgId: actor.orgId,
    userId: actor.userId,
    index: {
      id: index.id,
      chunkSetId: index.chunkSetId,
      space: index.space && { id: index.space.id, kind: index.space.kind },
    },
    query: search.query,
    mode: search.mode,
    filters: search.filters ?? {},
    folderId: search.folderId,
    limit: search.topK,
  };
  const { vector, hits, ask, ...info } = await prepareVectors(index, actor, search, task);
  search.signal?.throwIfAborted();
  // Vector-only search would return nothing.
  const mode = info.notice ? "keywords" : search.mode;
  const { passages } = await refill({ ...task, mode, vector }, hits, ask);
  return { passages, ...info };
}

const pool = new ProcessPool<SearchTask, RetrievedPassages>({
  name: "search",
  entry: bundledWorker("search"),
  output: RetrievedPassages,
  size: 2,
  timeoutMs: 10_000,
  memoryMb: () => 512,
  // Trusted input; a new process is slow at first.
  maxTasks: 20_000,
  // Starting takes longer than most searches.
  idleMs: 600_000,
  tooLong: "The search took longer than 10 seconds and was stopped. Shorten the query or add a filter.",
});

/** Searches in a thread on a read-only connection. @throws AppError `unavailable` on timeout or overload */
export function searchInThread(task: Omit<SearchTask, "database">): Promise<RetrievedPassages> {
  // Not aborted with its caller: that would terminate the worker.
  return pool.run({ ...task, database: rawDatabase().name });
}
