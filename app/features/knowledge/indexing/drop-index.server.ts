import { db, transaction } from "~/core/db.server";
import { inSlices } from "~/core/time-slices.server";
import { deleteChunk, deleteChunkSet, hasContent, listChunkSets, listSetChunks } from "../chunks.repo.server";
import {
  deleteEmbedding,
  deleteEmbeddings,
  deleteSpace,
  listEmbeddings,
  listSpaces,
} from "../embeddings.repo.server";
import { countUses, deleteIndex, type IndexRow } from "../indexes.repo.server";
import { dropSliced } from "../stores/drop-table.server";
import { termsTable } from "../stores/tables";
import { LIVE } from "./live-indexes.server";
import { emptyIndex } from "./switch-index.server";

const PAGE = 500;

/** Removes all that belongs to an index that no longer lives, and its row unless that still tells something. */
export async function dropIndex(index: IndexRow, keepRow: boolean, signal?: AbortSignal): Promise<void> {
  await emptyIndex(index, signal);
  if (!keepRow) transaction((tx) => deleteIndex(tx, index.id));
}

async function dropChunkSet(id: number, signal?: AbortSignal): Promise<void> {
  await dropSliced(termsTable(id), { _data: 50, _docsize: 1000 });
  for (;;) {
    const page = listSetChunks(db(), id, PAGE);
    if (page.length === 0) return;
    await inSlices(
      page,
      (tx, chunk) => {
        deleteChunk(tx, chunk.id);
        if (!hasContent(tx, chunk.hash)) deleteEmbeddings(tx, chunk.hash);
      },
      { signal },
    );
  }
}

async function dropSpace(id: number, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const page = listEmbeddings(db(), id, PAGE);
    if (page.length === 0) break;
    await inSlices(page, deleteEmbedding, { signal });
  }
  transaction((tx) => {
    if (countUses(tx, { spaceId: id }) === 0) deleteSpace(tx, id);
  });
}

/**
 * Removes the chunk sets that no living index uses, and the vectors of spaces that none knows any more: those of a
 * cancelled one are kept as long as it is, they may have been paid for.
 */
export async function dropUnused(signal?: AbortSignal): Promise<void> {
  for (const { id } of listChunkSets(db())) {
    if (countUses(db(), { chunkSetId: id }, [...LIVE, "retired"]) > 0) continue;
    await dropChunkSet(id, signal);
    transaction((tx) => {
      if (countUses(tx, { chunkSetId: id }) === 0) deleteChunkSet(tx, id);
    });
  }
  for (const { id } of listSpaces(db())) {
    if (countUses(db(), { spaceId: id }) === 0) await dropSpace(id, signal);
  }
}
