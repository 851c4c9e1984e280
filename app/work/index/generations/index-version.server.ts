import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { type ChunkKey, countVersionChunks, hasChunkAt, listChunkKeys } from "../chunks.repo.server";
import { findIndexedVersion } from "../indexed-documents.repo.server";
import type { IndexRow } from "../indexes.repo.server";
import { isTransient } from "../transient-errors";
import { markDirty } from "./dirty-indexes.server";
import { embedChunks } from "./embed-chunks.server";
import { fillChunkSet } from "./fill-chunk-set.server";
import { listLiveIndexes, requireActiveIndex } from "./live-indexes.server";
import { putChunks, putWithVectors } from "./put-chunks.server";
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
