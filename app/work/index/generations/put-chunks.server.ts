import { steadyNow } from "~/core/clock.server";
import { type Db, db, runInBatches, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { embeddedText } from "../chunking/chunk";
import {
  type ChunkKey,
  findChunkText,
  findSpaceById,
  findVector,
  hasChunk,
  hasEmbedding,
  hasSpace,
  insertEmbedding,
  type SpaceRow,
  setDimensions,
  setMaxTokens,
} from "../chunks.repo.server";
import { embedderOf } from "../embedding/choose-embedder.server";
import { callSize, embedTexts, findLimit, inBatches, learnCallSize } from "../embedding/embed-texts.server";
import { findIndexedDocument } from "../indexed-documents.repo.server";
import { hasEntry, type IndexRow, insertEntry, isLive, listEntries } from "../indexes.repo.server";
import { hasTable } from "../stores/derived-tables.repo.server";
import { findStore } from "../stores/index.server";
import { fromBlob, toBlob, vectorsTable } from "../stores/tables";
import type { FileStore, ServerStore, StoredIndex, VectorPoint } from "../stores/vector-store";
import { systemActor } from "../system-actor.server";
import { reportLoss, wakeIndexes } from "./pending-work.server";

export const LOST = "Qdrant has lost its vectors, which are being added again.";

export const toStoredIndex = (
  { id, orgId, createdAt, space }: IndexRow,
  { dimensions }: { dimensions: number } = space ?? { dimensions: 0 },
): StoredIndex => ({ id, orgId, dimensions, createdAt });

export function findPoint(spaceId: number, chunkId: number, tx = db()): VectorPoint | undefined {
  const stored = findVector(tx, spaceId, chunkId);
  if (!stored) return undefined;
  const { vector, documentId, hash, visibility } = stored;
  return { id: chunkId, vector: fromBlob(vector), documentId, hash, open: visibility === "organisation" };
}

export function isOpen(tx: Db, documentId: string): boolean | undefined {
  const document = findIndexedDocument(tx, documentId);
  return document && document.visibility === "organisation";
}

interface PutTask {
  stored: StoredIndex;
  spaceId: number;
  keys: readonly ChunkKey[];
  signal?: AbortSignal | undefined;
}

function putChunk(tx: Db, store: FileStore, { stored, spaceId }: Omit<PutTask, "keys">, id: number): void {
  if (!isLive(tx, stored.id) || hasEntry(tx, stored.id, id)) return;
  const point = findPoint(spaceId, id, tx);
  if (!point) return;
  store.putNow(stored, point);
  insertEntry(tx, stored.id, id);
}

async function putInFile(store: FileStore, task: PutTask): Promise<void> {
  const { stored, keys, signal } = task;
  const missing = keys.filter(({ id }) => !hasEntry(db(), stored.id, id));
  await runInBatches(missing, (tx, { id }) => putChunk(tx, store, task, id), { signal, durable: false });
}

/** Adds chunks in the commit that stores their vectors; undefined for a remote or missing store. */
export function putWithVectors(
  index: IndexRow,
  keys: readonly ChunkKey[],
): ((tx: Db, hash: string) => void) | undefined {
  const store = findStore(index.store);
  const space = index.spaceId === null ? undefined : findSpaceById(db(), index.spaceId);
  if (store?.location !== "file" || !space || space.dimensions === 0) return undefined;
  const stored = toStoredIndex(index, space);
  if (store.problem(index.orgId) || !hasTable(vectorsTable(index.id))) return undefined;
  const idsOf = new Map<string, number[]>();
  for (const { id, hash } of keys) idsOf.set(hash, [...(idsOf.get(hash) ?? []), id]);
  return (tx, hash) => {
    for (const id of idsOf.get(hash) ?? []) putChunk(tx, store, { stored, spaceId: space.id }, id);
  };
}

async function putOnServer(store: ServerStore, { stored, spaceId, keys, signal }: PutTask): Promise<void> {
  const size = store.batchOf(stored);
  for (let start = 0; start < keys.length; start += size) {
    const points = keys
      .slice(start, start + size)
      .filter(({ id }) => !hasEntry(db(), stored.id, id))
      .flatMap(({ id }) => findPoint(spaceId, id) ?? []);
    if (points.length === 0) continue;
    if (!(await store.put(stored, points, signal))) {
      reportLoss(stored);
      throw new AppError("unavailable", LOST);
    }
    const deletedIds: number[] = [];
    await runInBatches(
      points,
      (tx, { id, documentId, open }) => {
        if (!hasChunk(tx, id)) deletedIds.push(id);
        // Visibility changed in between: without an entry it is added again.
        else if (isLive(tx, stored.id) && isOpen(tx, documentId) === open) insertEntry(tx, stored.id, id);
      },
      { signal, durable: false },
    );
    await store.remove(stored, deletedIds);
    const changed = points.filter(
      ({ id, documentId, open }) => hasChunk(db(), id) && isOpen(db(), documentId) !== open,
    );
    for (const { documentId } of changed)
      await store.setOpen(stored, documentId, isOpen(db(), documentId) ?? false);
    await runInBatches(
      changed,
      (tx, { id }) => {
        if (isLive(tx, stored.id) && hasChunk(tx, id)) insertEntry(tx, stored.id, id);
      },
      { signal, durable: false },
    );
  }
}

/**
 * Adds chunks that have a vector but no entry. The entry is written with or after the point, so a crash
 * causes a repeat.
 * @throws AppError `unavailable` naming a store that can't be reached; the signal's reason
 */
export async function putChunks(
  index: IndexRow,
  keys: readonly ChunkKey[],
  signal?: AbortSignal,
): Promise<void> {
  const store = findStore(index.store);
  // Reloaded: the first vectors set the dimensions.
  const space = index.spaceId === null ? undefined : findSpaceById(db(), index.spaceId);
  if (!store || !space || space.dimensions === 0) return;
  // Continues without the extension; the check at the next start finds the missing vectors.
  if (store.location === "file" && store.problem(index.orgId)) return;
  const stored = toStoredIndex(index, space);
  // A server's index that isn't there any more must not come back empty and look whole.
  if (store.location === "file" || listEntries(db(), index.id, 1).length === 0) await store.create(stored);
  const task = { stored, spaceId: space.id, keys, signal };
  await (store.location === "file" ? putInFile(store, task) : putOnServer(store, task));
}

/** A provider's own limit of concurrent calls is below it, if it has one. */
const CALLS_AT_ONCE = 4;

interface EmbedOptions {
  signal?: AbortSignal | undefined;
  onDone?: ((count: number) => void) | undefined;
  onStored?: ((tx: Db, hash: string) => void) | undefined;
}

interface Missing {
  hash: string;
  text: string;
}

function findMissing(space: SpaceRow, keys: readonly ChunkKey[]): Missing[] {
  const missing = new Map<string, string>();
  for (const { id, hash } of keys) {
    if (missing.has(hash) || hasEmbedding(db(), space.id, hash)) continue;
    const chunk = findChunkText(db(), id);
    if (chunk) missing.set(hash, embeddedText(chunk.title, chunk));
  }
  return [...missing].map(([hash, text]) => ({ hash, text }));
}

async function storeVectors(
  space: SpaceRow,
  batch: readonly Missing[],
  vectors: readonly Float32Array[],
  { signal, onStored }: EmbedOptions,
): Promise<void> {
  const dimensions = vectors[0]?.length ?? 0;
  const expected = findSpaceById(db(), space.id)?.dimensions ?? 0;
  if (expected !== 0 && dimensions !== expected) {
    throw new AppError(
      "provider_unavailable",
      `${space.model} returned vectors of ${dimensions} dimensions instead of ${expected}: the model has changed. Rebuild the index.`,
    );
  }
  await runInBatches(
    batch.map(({ hash }, index) => ({ hash, vector: vectors[index] })),
    (tx, { hash, vector }) => {
      if (!vector || !hasSpace(tx, space)) return;
      setDimensions(tx, space.id, dimensions);
      insertEmbedding(tx, space.id, hash, toBlob(vector));
      onStored?.(tx, hash);
    },
    { signal, durable: false },
  );
}

/**
 * Tries how much of a text a new model reads, unless that is known. If its chunks turn out too long, an index with
 * shorter ones is built in place of this one.
 */
async function learnLimit({ id, orgId }: SpaceRow, signal: AbortSignal | undefined): Promise<void> {
  const space = findSpaceById(db(), id);
  if (space?.kind !== "model" || space.maxTokens !== null || space.dimensions !== 0) return;
  const maxTokens = await findLimit(systemActor(orgId), embedderOf(space), signal);
  if (maxTokens === null) return;
  transaction((tx) => setMaxTokens(tx, id, maxTokens));
  wakeIndexes();
  signal?.throwIfAborted();
}

/**
 * Embeds contents without a vector. Each batch is stored before the next request, so that paid results
 * aren't lost.
 * @throws AppError with a user-facing message when the embedder fails; the signal's reason
 */
export async function embedChunks(
  space: SpaceRow,
  keys: readonly ChunkKey[],
  options: EmbedOptions = {},
): Promise<void> {
  const { signal, onDone } = options;
  const actor = systemActor(space.orgId);
  await learnLimit(space, signal);
  const batches = inBatches(
    findMissing(space, keys),
    ({ text }) => text.length,
    () => callSize(space.id),
  );
  const embed = async (texts: string[]) => {
    const started = steadyNow();
    const learn = () => learnCallSize(space.id, texts.length, steadyNow() - started);
    try {
      const vectors = await embedTexts(actor, embedderOf(space), texts, { signal });
      learn();
      return vectors;
    } catch (error) {
      if (error instanceof AppError && error.code === "provider_timeout") learn();
      throw error;
    }
  };
  // The first failure ends all: calls that were sent are finished and kept.
  let hasFailed = false;
  const work = async () => {
    try {
      for (let next = batches.next(); !next.done && !hasFailed; next = batches.next()) {
        signal?.throwIfAborted();
        const texts = next.value.map(({ text }) => text);
        await storeVectors(space, next.value, await embed(texts), options);
        onDone?.(next.value.length);
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  const results = await Promise.allSettled(Array.from({ length: CALLS_AT_ONCE }, work));
  for (const one of results) if (one.status === "rejected") throw one.reason;
}
