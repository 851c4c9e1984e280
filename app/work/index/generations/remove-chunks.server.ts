import { forEachPage } from "~/core/background.server";
import { type Db, db, runInBatches } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import {
  deleteChunk,
  deleteEmbeddings,
  hasChunkWithHash,
  listChunkIds,
  listVersionChunks,
} from "../chunks.repo.server";
import { findIndexedDocument, findIndexedVersion } from "../indexed-documents.repo.server";
import { deleteEntry, hasEntry, type IndexRow, isLive, listIndexes } from "../indexes.repo.server";
import { deleteTerms, listTermsTables } from "../stores/derived-tables.repo.server";
import { findStore } from "../stores/index.server";
import { termsTable } from "../stores/tables";
import { runInTermBatches } from "../stores/terms-index.server";
import { listLiveIndexes } from "./live-indexes.server";
import { markDirty, reportLoss } from "./pending-work.server";
import { findPoint, isOpen, toStoredIndex } from "./put-chunks.server";

const BATCH_SIZE = 200;

/** Points may remain on an unreachable server; the index is checked later. */
async function removeFromServer(index: IndexRow, chunkIds: number[]): Promise<void> {
  const store = findStore(index.store);
  if (store?.location !== "server") return;
  try {
    // Also without an entry: a crash may have separated point and entry.
    if (!(await store.remove(toStoredIndex(index), chunkIds))) reportLoss(index);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn("failed to remove a document's vectors", { index: index.id, error });
    markDirty(index.id);
  }
}

export async function removeVersionChunks(versionId: string, signal?: AbortSignal): Promise<void> {
  const orgId = findIndexedVersion(db(), versionId)?.orgId;
  if (orgId === undefined) return;
  const indexes = listIndexes(db(), orgId);
  const tables = new Set(indexes.flatMap(({ chunkSetId }) => listTermsTables(chunkSetId)));
  for (;;) {
    const page = listVersionChunks(db(), versionId, BATCH_SIZE);
    if (page.length === 0) return;
    for (const index of indexes) {
      await removeFromServer(
        index,
        page.map(({ id }) => id),
      );
    }
    await runInTermBatches(
      [...new Set(page.map(({ set }) => set))],
      page,
      (tx, { id, set, hash, language }) => {
        for (const index of indexes) {
          if (!hasEntry(tx, index.id, id)) continue;
          const store = findStore(index.store);
          if (store?.location === "file" && !store.problem(orgId)) store.removeNow(toStoredIndex(index), id);
          deleteEntry(tx, index.id, id);
        }
        const terms = termsTable(set, language);
        if (tables.has(terms)) deleteTerms(terms, id);
        deleteChunk(tx, id);
        if (!hasChunkWithHash(tx, hash)) deleteEmbeddings(tx, hash);
      },
      signal,
    );
  }
}

/**
 * Moves a document's points after a visibility change. Access is checked by the view, so a search may find
 * less in between, never more.
 */
export async function moveScope(documentId: string, signal?: AbortSignal): Promise<void> {
  const document = findIndexedDocument(db(), documentId);
  if (!document) return;
  for (const index of listLiveIndexes(document.orgId)) {
    const store = findStore(index.store);
    const { space } = index;
    if (!store || !space || store.problem(document.orgId)) continue;
    try {
      if (store.location === "server") {
        const open = isOpen(db(), documentId) ?? false;
        if (!(await store.setOpen(toStoredIndex(index), documentId, open))) reportLoss(index);
        continue;
      }
      const move = (tx: Db, { id }: { id: number }) => {
        const point = hasEntry(tx, index.id, id) && isLive(tx, index.id) && findPoint(space.id, id, tx);
        if (point) store.putNow(toStoredIndex(index), point);
      };
      await forEachPage(
        (after) => listChunkIds(db(), { document: documentId, after, limit: BATCH_SIZE }),
        (page) => runInBatches(page, move, { signal, durable: false }),
      );
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log.warn("failed to move a document's vectors", { index: index.id, error });
      markDirty(index.id);
    }
  }
}
