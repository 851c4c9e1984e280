import { forEachPage } from "~/core/background.server";
import { db, transaction } from "~/core/db.server";
import { log } from "~/core/log.server";
import { countSetChunks, findChunkText, listChunkIds, listSetLanguages } from "../chunks.repo.server";
import { type IndexRow, listEntryScopes } from "../indexes.repo.server";
import {
  clearTerms,
  countTerms,
  hasTerms,
  insertTerms,
  listTermsTables,
} from "../stores/derived-tables.repo.server";
import { findStore } from "../stores/index.server";
import { termsTable } from "../stores/tables";
import { mergeSegments, openTerms, runInTermBatches } from "../stores/terms-index.server";
import { termsOf } from "./index-version.server";
import { toStoredIndex } from "./put-chunks.server";

const BATCH_SIZE = 2000;

/** Rewrites a keyword index that differs from its chunks, as after damage: normally they share commits. */
export async function checkTerms(
  { id: index, chunkSetId }: Pick<IndexRow, "id" | "chunkSetId">,
  signal?: AbortSignal,
): Promise<void> {
  openTerms(chunkSetId, listSetLanguages(db(), chunkSetId));
  const tables = listTermsTables(chunkSetId);
  const count = tables.reduce((sum, table) => sum + countTerms(table), 0);
  if (count !== countSetChunks(db(), chunkSetId)) {
    log.warn("rewriting a keyword index that differs from its chunks", { index });
    transaction(() => tables.forEach(clearTerms));
    await forEachPage(
      (after) => listChunkIds(db(), { after, limit: BATCH_SIZE }),
      (page) =>
        runInTermBatches(
          [chunkSetId],
          page.filter(({ set }) => set === chunkSetId),
          (tx, { id }) => {
            const chunk = findChunkText(tx, id);
            const table = chunk && termsTable(chunkSetId, chunk.language);
            if (table && !hasTerms(table, id)) insertTerms(table, id, termsOf(chunk, chunk));
          },
          signal,
        ),
    );
  }
  await mergeSegments(chunkSetId, { signal });
}

async function countEntries(indexId: number): Promise<{ all: number; open: number }> {
  const counts = { all: 0, open: 0 };
  await forEachPage(
    (after) => listEntryScopes(db(), indexId, after, BATCH_SIZE),
    async (page) => {
      counts.all += page.length;
      counts.open += page.filter(({ visibility }) => visibility === "organisation").length;
    },
  );
  return counts;
}

/**
 * Whether the file has as many points as the index has entries, in all and of public documents: they share commits.
 * A server's are compared one by one (`checkServer`).
 */
export async function isConsistent(index: IndexRow): Promise<boolean> {
  const { id, orgId, space } = index;
  const store = findStore(index.store);
  if (store?.location !== "file" || !space || space.dimensions === 0 || store.problem(orgId)) return true;
  for (let attempt = 0; attempt < 3; attempt++) {
    const before = await countEntries(id);
    const points = await store.count(toStoredIndex(index));
    const after = await countEntries(id);
    // Concurrent ingestion makes the counts incomparable.
    if (before.all !== after.all || before.open !== after.open) continue;
    return points.all === after.all && points.open === after.open;
  }
  return true;
}
