import { db, transaction } from "~/core/db.server";
import type { ChunkKey } from "../chunks.repo.server";
import { type IndexRow, listActiveVersions, sumChunkCounts, updateIndex } from "../indexes.repo.server";
import { knowledgeChanged } from "../knowledge-changes.server";
import { openTerms } from "../stores/terms-index.server";
import { CHUNKS_PER_BATCH, chunkKeyBatches, fillChunkSet } from "./index-version.server";
import { embedChunks, putChunks } from "./put-chunks.server";

/** Documents per embedding batch, so that small ones share calls. */
const DOCUMENTS_PER_BATCH = 20;
const REPORT_INTERVAL_MS = 500;

class Progress {
  #done = 0;
  #reportedAt = 0;

  constructor(
    private readonly index: IndexRow,
    private total: number,
  ) {}

  add(chunks: number): void {
    this.#done += chunks;
    if (performance.now() - this.#reportedAt >= REPORT_INTERVAL_MS) this.report();
  }

  report(ended = false): void {
    this.#reportedAt = performance.now();
    this.total = ended ? this.#done : Math.max(this.total, this.#done);
    transaction((tx) => updateIndex(tx, this.index.id, { done: this.#done, total: this.total }));
    knowledgeChanged({ orgId: this.index.orgId });
  }
}

/**
 * Adds all searchable chunks that an index lacks, for builds and repairs.
 * @throws AppError with a user-facing message; the signal's reason
 */
export async function fillIndex(index: IndexRow, signal: AbortSignal): Promise<void> {
  const { orgId, chunkSet, space } = index;
  const progress = new Progress(index, sumChunkCounts(db(), orgId));
  progress.report();
  openTerms(chunkSet.id);
  const work = async (keys: ChunkKey[]) => {
    signal.throwIfAborted();
    if (space) {
      await embedChunks(space, keys, { signal });
      await putChunks(index, keys, signal);
    }
    progress.add(keys.length);
  };
  for (let after = ""; ; ) {
    const page = listActiveVersions(db(), orgId, after, DOCUMENTS_PER_BATCH);
    const last = page.at(-1);
    if (!last) break;
    let waiting: ChunkKey[] = [];
    for (const { versionId } of page) {
      signal.throwIfAborted();
      await fillChunkSet(chunkSet, versionId, signal);
      for (const keys of chunkKeyBatches(chunkSet.id, versionId)) {
        waiting.push(...keys);
        if (waiting.length < CHUNKS_PER_BATCH) continue;
        await work(waiting);
        waiting = [];
      }
    }
    if (waiting.length > 0) await work(waiting);
    after = last.documentId;
  }
  progress.report(true);
}
