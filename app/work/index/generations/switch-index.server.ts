import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, runInBatches } from "~/core/db.server";
import { append } from "~/platform/audit/audit.service.server";
import { countVersionChunks } from "../chunks.repo.server";
import { labelOf } from "../embedding/choose-embedder.server";
import {
  type IndexRow,
  listActiveVersions,
  listIndexes,
  setChunkCount,
  updateIndex,
} from "../indexes.repo.server";

const BATCH_SIZE = 500;

export function describeIndex({ space, store, chunkSet, done }: IndexRow) {
  return { embedder: space ? labelOf(space) : "none", store, chunking: chunkSet.key, chunks: done };
}

/** Makes an index active and retires the previous one, within the transaction. */
export function switchIndex(tx: Db, actor: Actor, index: IndexRow): void {
  for (const { id, state } of listIndexes(tx, index.orgId)) {
    if (state === "serving") updateIndex(tx, id, { state: "retired" });
  }
  updateIndex(tx, index.id, { state: "serving", needsApproval: false, error: null, servedAt: now() });
  append(tx, actor, {
    action: "index.switched",
    resource: `index:${index.id}`,
    details: describeIndex(index),
  });
}

/** Recounts the documents' chunks after a switch to another chunking. */
export async function recountChunks(index: IndexRow, signal?: AbortSignal): Promise<void> {
  for (let after = ""; ; ) {
    const page = listActiveVersions(db(), index.orgId, after, BATCH_SIZE);
    const last = page.at(-1);
    if (!last) return;
    await runInBatches(
      page,
      (tx, { documentId, versionId }) =>
        setChunkCount(tx, documentId, countVersionChunks(tx, index.chunkSetId, versionId)),
      { signal, durable: false },
    );
    after = last.documentId;
  }
}
