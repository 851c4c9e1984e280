import { forEachPage } from "~/core/background.server";
import { db, rawDatabase } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { indexTerms } from "~/core/language/analysis";
import { log } from "~/core/log.server";
import { type Packs, unpack } from "~/core/packs";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { type Chunk, type ChunkTask, chunkingOf, hasSameChunks, PackedChunks } from "../chunking/chunk";
import {
  type ChunkKey,
  type ChunkSetRow,
  countVersionChunks,
  findChunkText,
  hasChunkAt,
  hasChunkSet,
  insertChunk,
  listChunkIds,
  listChunkKeys,
  listChunkSets,
  storedChunks,
  type Titled,
} from "../chunks.repo.server";
import { findIndexedVersion } from "../indexed-documents.repo.server";
import type { IndexRow } from "../indexes.repo.server";
import { deleteTerms, hasTerms, insertTerms } from "../stores/derived-tables.repo.server";
import { findTermsTable, openTermsTable, runInTermBatches } from "../stores/terms-index.server";
import { isTransient } from "../transient-errors";
import { listLiveIndexes, requireActiveIndex } from "./live-indexes.server";
import { markDirty } from "./pending-work.server";
import { embedChunks, putChunks, putWithVectors } from "./put-chunks.server";
import { matchesTarget, readTarget } from "./target.server";

export interface IndexVersionInput {
  orgId: string;
  documentId: string;
  versionId: string;
  onProgress?: (step: "chunking" | "embedding" | "indexing", done: number, total: number) => void;
  signal?: AbortSignal | undefined;
  /** Whether it may be served without embeddings; they are added later. */
  allowKeywordsOnly?: boolean;
}

export const CHUNKS_PER_BATCH = 256;
/** Chunks whose terms are renewed, per page. */
const RENEWED_PER_PAGE = 200;

export function* chunkKeyBatches(set: number, version: string): Generator<ChunkKey[]> {
  for (let after = -1; ; ) {
    const keys = listChunkKeys(db(), { set, version, after, limit: CHUNKS_PER_BATCH });
    const last = keys.at(-1);
    if (!last) return;
    yield keys;
    after = last.position;
  }
}

async function addVersion(index: IndexRow, input: IndexVersionInput): Promise<void> {
  const { versionId, onProgress, signal } = input;
  const { chunkSet, space } = index;
  onProgress?.("chunking", 0, 0);
  if (!(await fillChunkSet(chunkSet, versionId, signal))) return;
  if (!space) return;
  const total = countVersionChunks(db(), chunkSet.id, versionId);
  let embedded = 0;
  onProgress?.("embedding", 0, total);
  for (const keys of chunkKeyBatches(chunkSet.id, versionId)) {
    await embedChunks(space, keys, { signal, onStored: putWithVectors(index, keys) });
    embedded += keys.length;
    onProgress?.("embedding", embedded, total);
  }
  let put = 0;
  for (const keys of chunkKeyBatches(chunkSet.id, versionId)) {
    await putChunks(index, keys, signal);
    put += keys.length;
    onProgress?.("indexing", put, total);
  }
}

function canSkipVectors(
  index: IndexRow,
  error: AppError,
  { versionId, allowKeywordsOnly }: IndexVersionInput,
): boolean {
  if (!hasChunkAt(db(), index.chunkSetId, versionId, 0)) return false;
  return !matchesTarget(index, readTarget(index.orgId)) || (allowKeywordsOnly === true && isTransient(error));
}

/**
 * Adds an extracted version to every live index. Idempotent. Failures of an index being built are left to
 * its builder.
 * @returns its chunks in the active index, and whether they have vectors
 * @throws AppError if the active index fails, `gone` if the version is; the signal's reason
 */
export async function indexVersion(
  input: IndexVersionInput,
): Promise<{ chunks: number; hasEmbeddings: boolean }> {
  const { orgId, versionId, signal } = input;
  requireActiveIndex(orgId);
  const done = new Set<number>();
  const incomplete = new Set<number>();
  for (;;) {
    const index = listLiveIndexes(orgId)
      .sort((a, b) => Number(b.state === "serving") - Number(a.state === "serving"))
      .find(({ id }) => !done.has(id));
    if (!index) break;
    try {
      await addVersion(index, input);
    } catch (error) {
      if (signal?.aborted || !(error instanceof AppError)) throw error;
      if (index.state === "serving" && !canSkipVectors(index, error, input)) throw error;
      log.warn("a document is missing in an index", { index: index.id, error });
      incomplete.add(index.id);
    }
    if (!findIndexedVersion(db(), versionId))
      throw new AppError("gone", "The document was deleted during processing.");
    done.add(index.id);
  }
  // Last, so that the builder sees the version as active.
  for (const id of incomplete) markDirty(id);
  const active = requireActiveIndex(orgId);
  return {
    chunks: countVersionChunks(db(), active.chunkSetId, versionId),
    hasEmbeddings: active.space !== null && !incomplete.has(active.id),
  };
}

/**
 * Chunks a version and indexes its terms, in reverse order: the first chunk marks a complete version.
 * @returns false when the version or the set is gone, or no longer to be searched
 * @throws AppError that names the document; the signal's reason
 */
export async function fillChunkSet(
  set: ChunkSetRow,
  versionId: string,
  signal?: AbortSignal,
): Promise<boolean> {
  if (hasChunkAt(db(), set.id, versionId, 0)) return true;
  const version = findIndexedVersion(db(), versionId);
  if (!version || version.state === "replaced") return false;
  const { title, documentId } = version;
  let chunks: Iterable<Chunk>;
  try {
    chunks =
      findCopy(set, versionId) ??
      (await chunkVersion({ versionId, title, chunking: chunkingOf(set.key) }, signal));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `"${title}" couldn't be split into chunks: ${error.message}`, {
      cause: error,
    });
  }
  let isGone = false;
  await runInTermBatches(
    [set.id],
    chunks,
    (tx, chunk) => {
      // The document or set may have changed since the last batch.
      const current = findIndexedVersion(tx, versionId);
      if (!current || current.state === "replaced" || !hasChunkSet(tx, set)) isGone = true;
      if (isGone || !current || hasChunkAt(tx, set.id, versionId, chunk.position)) return;
      const id = insertChunk(tx, { ...chunk, chunkSetId: set.id, documentId, versionId });
      // A concurrent rename rewrites the terms.
      insertTerms(openTermsTable(set.id, chunk.language), id, termsOf(current, chunk));
    },
    signal,
  );
  return !isGone;
}

/** A version's chunks from a set that differs from this one only in the analysis of terms. */
function findCopy({ id, orgId, key }: ChunkSetRow, versionId: string): Iterable<Chunk> | undefined {
  const source = listChunkSets(db()).find(
    (other) =>
      other.id !== id &&
      other.orgId === orgId &&
      hasSameChunks(other.key, key) &&
      hasChunkAt(db(), other.id, versionId, 0),
  );
  return source && storedChunks(source.id, versionId);
}

export function termsOf(
  { name, title }: Titled,
  { headings, text, language }: Pick<Chunk, "text" | "language"> & { headings: readonly string[] },
) {
  return {
    title: indexTerms(title === name ? name : `${name}\n${title}`, language),
    headings: indexTerms(headings.join("\n"), language),
    body: indexTerms(text, language),
  };
}

const pool = new WorkerPool<ChunkTask, Packs>({
  name: "chunk-document",
  entry: bundledWorker("chunk-document"),
  output: PackedChunks,
  size: 1,
  timeoutMs: 60_000,
  maxHeapMb: 512,
});

/**
 * Chunks the stored text of a version in a worker thread, which reads it from the database.
 * @returns the chunks from last to first; iterable once
 * @throws AppError `unavailable` when it takes too much time or memory
 */
export async function chunkVersion(
  version: Omit<ChunkTask, "database">,
  signal?: AbortSignal,
): Promise<Iterable<Chunk>> {
  return unpack(await pool.run({ ...version, database: rawDatabase().name }, signal));
}

/** Rewrites a document's terms after a rename. Idempotent. @throws the signal's reason */
export async function renewTerms(document: string, signal?: AbortSignal): Promise<void> {
  await forEachPage(
    (after) => listChunkIds(db(), { document, after, limit: RENEWED_PER_PAGE }),
    (page) =>
      runInTermBatches(
        [...new Set(page.map(({ set }) => set))],
        page,
        (tx, { id, set }) => {
          const chunk = findChunkText(tx, id);
          const table = chunk && findTermsTable(tx, set, chunk.language);
          // A running build adds missing terms itself.
          if (!table || !hasTerms(table, id)) return;
          deleteTerms(table, id);
          insertTerms(table, id, termsOf(chunk, chunk));
        },
        signal,
      ),
  );
}
