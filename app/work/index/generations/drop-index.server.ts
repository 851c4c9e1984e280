import { db, runInBatches, transaction } from "~/core/db.server";
import {
  deleteChunkSet,
  droppedKey,
  isDroppedKey,
  listChunkSets,
  setChunkSetKey,
} from "../chunk-sets.repo.server";
import { deleteChunk, hasChunkWithHash, listSetChunks } from "../chunks.repo.server";
import {
  deleteEmbedding,
  deleteEmbeddings,
  deleteSpace,
  listEmbeddings,
  listSpaces,
  setSpaceKey,
} from "../embeddings.repo.server";
import { countUses, deleteIndex, type IndexRow } from "../indexes.repo.server";
import { dropTableInBatches } from "../stores/drop-table.server";
import { termsTable } from "../stores/tables";
import { emptyIndex } from "./switch-index.server";

const BATCH_SIZE = 100;

export async function dropIndex(index: IndexRow, keepRow: boolean, signal?: AbortSignal): Promise<void> {
  await emptyIndex(index, signal);
  if (!keepRow) transaction((tx) => deleteIndex(tx, index.id));
}

async function dropChunkSet(id: number, signal?: AbortSignal): Promise<void> {
  await dropTableInBatches(termsTable(id), { _data: 50, _docsize: 1000 });
  for (;;) {
    const page = listSetChunks(db(), id, BATCH_SIZE);
    if (page.length === 0) break;
    await runInBatches(
      page,
      (tx, chunk) => {
        deleteChunk(tx, chunk.id);
        if (!hasChunkWithHash(tx, chunk.hash)) deleteEmbeddings(tx, chunk.hash);
      },
      { signal, durable: false },
    );
  }
  transaction((tx) => deleteChunkSet(tx, id));
}

async function dropSpace(id: number, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const page = listEmbeddings(db(), id, BATCH_SIZE);
    if (page.length === 0) break;
    await runInBatches(page, deleteEmbedding, { signal, durable: false });
  }
  transaction((tx) => deleteSpace(tx, id));
}

function markUnusedAsDropped(): void {
  transaction((tx) => {
    for (const { id, key } of listChunkSets(tx)) {
      if (!isDroppedKey(key) && countUses(tx, { chunkSetId: id }) === 0)
        setChunkSetKey(tx, id, droppedKey(id));
    }
    for (const { id, key } of listSpaces(tx)) {
      if (!isDroppedKey(key) && countUses(tx, { spaceId: id }) === 0) setSpaceKey(tx, id, droppedKey(id));
    }
  });
}

/**
 * Removes unreferenced chunk sets and spaces, and resumes interrupted removals. Those of a canceled index
 * are kept while its row exists.
 */
export async function dropUnused(signal?: AbortSignal): Promise<void> {
  markUnusedAsDropped();
  for (const { id, key } of listChunkSets(db())) {
    if (isDroppedKey(key)) await dropChunkSet(id, signal);
  }
  for (const { id, key } of listSpaces(db())) {
    if (isDroppedKey(key)) await dropSpace(id, signal);
  }
}
