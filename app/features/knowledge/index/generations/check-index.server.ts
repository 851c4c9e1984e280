import { db } from "~/core/db.server";
import { yieldToEventLoop } from "~/core/event-loop.server";
import { findChunkText, hasChunk, listChunkIds } from "../chunks.repo.server";
import { type IndexRow, listEntryScopes, listUnentered } from "../indexes.repo.server";
import { deleteTerms, hasTerms, insertTerms, listTermIds } from "../stores/derived-tables.repo.server";
import { findStore } from "../stores/index.server";
import { termsTable } from "../stores/tables";
import { inTermSlices, mergeSegments, openTerms } from "../stores/terms-index.server";
import type { FileStore, ServerStore, StoredIndex } from "../stores/vector-store";
import { termsOf } from "./fill-chunk-set.server";
import { bringUpToForm } from "./renew-terms.server";

const PAGE = 2000;
const ENTRY_PAGE = 500;

async function readAll<T extends { id: number }>(
  list: (after: number) => T[],
  take: (row: T) => void,
): Promise<void> {
  for (let after = 0; ; ) {
    const page = list(after);
    page.forEach(take);
    const last = page.at(-1);
    if (!last) return;
    after = last.id;
    await yieldToEventLoop();
  }
}

/**
 * Verifies and repairs a keyword index, since terms can be derived from chunks. Terms of an older format
 * are rewritten.
 * @returns how many rows were added or removed
 */
export async function mendTerms(
  { orgId, chunkSetId }: Pick<IndexRow, "orgId" | "chunkSetId">,
  signal?: AbortSignal,
): Promise<number> {
  const table = termsTable(chunkSetId);
  openTerms(chunkSetId);
  const chunks = new Set<number>();
  const extra: number[] = [];
  await readAll(
    (after) => listChunkIds(db(), after, PAGE),
    ({ id, set }) => set === chunkSetId && chunks.add(id),
  );
  await readAll(
    (after) => listTermIds(table, after, PAGE).map((id) => ({ id })),
    ({ id }) => {
      if (!chunks.delete(id)) extra.push(id);
    },
  );
  let mended = 0;
  // Counts changed in the meantime.
  await inTermSlices(
    [chunkSetId],
    extra,
    (tx, id) => {
      if (hasChunk(tx, id)) return;
      deleteTerms(table, id);
      mended += 1;
    },
    signal,
  );
  await inTermSlices(
    [chunkSetId],
    chunks,
    (tx, id) => {
      const chunk = hasTerms(table, id) ? undefined : findChunkText(tx, id);
      if (!chunk) return;
      insertTerms(table, id, termsOf(chunk, chunk));
      mended += 1;
    },
    signal,
  );
  await bringUpToForm(orgId, chunkSetId, signal);
  await mergeSegments(chunkSetId, { signal });
  return mended;
}

/** Compares a page of vectors and entries per event-loop turn, so that nothing changes in between. */
async function isSoundInFile(store: FileStore, index: StoredIndex): Promise<boolean> {
  for (let after = 0; ; ) {
    const entries = listEntryScopes(db(), index.id, after, PAGE);
    const points = store.listNow(index, after, PAGE);
    const same =
      points.length === entries.length &&
      points.every(({ id, open }, position) => {
        const entry = entries[position];
        return (
          entry?.id === id && (entry.visibility === "organisation") === open && entry.visibility !== null
        );
      });
    if (!same) return false;
    const last = entries.at(-1);
    if (!last || entries.length < PAGE) return true;
    after = last.id;
    await yieldToEventLoop();
  }
}

async function countScopes(indexId: number): Promise<{ all: number; open: number }> {
  const counts = { all: 0, open: 0 };
  await readAll(
    (after) => listEntryScopes(db(), indexId, after, PAGE),
    ({ visibility }) => {
      counts.all += 1;
      if (visibility === "organisation") counts.open += 1;
    },
  );
  return counts;
}

/** Compares counts only: checking each point on a server takes longer than a rebuild. */
async function isSoundOnServer(store: ServerStore, index: StoredIndex): Promise<boolean> {
  for (let round = 0; round < 3; round++) {
    const before = await countScopes(index.id);
    const points = await store.count(index);
    const after = await countScopes(index.id);
    // Concurrent ingestion makes the counts incomparable.
    if (before.all !== after.all || before.open !== after.open) continue;
    return points.all === after.all && points.open === after.open;
  }
  return true;
}

/**
 * Whether a store contains exactly the index's entries with the right visibility.
 * @throws AppError `unavailable`
 */
export async function isSound({ id, orgId, space, store: name }: IndexRow): Promise<boolean> {
  const store = findStore(name);
  if (!store || !space || space.dimensions === 0) return true;
  const stored = { id, orgId, dimensions: space.dimensions };
  return store.where === "file" ? isSoundInFile(store, stored) : isSoundOnServer(store, stored);
}

/** Whether the store of an index about to become active is complete. @throws AppError `unavailable` */
export async function isWhole(index: IndexRow): Promise<boolean> {
  const store = findStore(index.store);
  return !store || store.problem(index.orgId) !== undefined || (await isSound(index));
}

/** Whether every searchable chunk has an entry in the index. */
export async function isComplete({
  id: index,
  orgId,
  chunkSetId: set,
  space,
  store,
}: IndexRow): Promise<boolean> {
  const found = findStore(store);
  if (!found || !space || found.problem(orgId)) return true;
  for (let after = 0; ; ) {
    const page = listUnentered(db(), { index, set, after, limit: ENTRY_PAGE });
    if (page.some(({ lacks }) => lacks)) return false;
    const last = page.at(-1);
    if (!last) return true;
    after = last.id;
    await yieldToEventLoop();
  }
}
