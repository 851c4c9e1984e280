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
/** Chunks whose entries and documents are looked up in one go. */
const ENTRY_PAGE = 500;

/** Every id of a paged list, with turns of the event loop between the pages. */
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
 * Compares a chunk set with its keyword index and repairs differences in place, since terms are derived from chunks at
 * no cost. Terms of an older form are rewritten and segments are merged as needed.
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
  // Chunks were added and removed while counting.
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

/** A page of points and of entries in one turn of the event loop each, so that nothing changes in between. */
async function isSoundInFile(store: FileStore, index: StoredIndex): Promise<boolean> {
  for (let after = 0; ; ) {
    const entries = listEntryScopes(db(), index.id, after, PAGE);
    const points = store.listNow(index, after, PAGE);
    const same =
      points.length === entries.length &&
      points.every(({ id, open }, place) => {
        const entry = entries[place];
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

/** Counts only: requesting each point from a server would take longer than rebuilding them. */
async function isSoundOnServer(store: ServerStore, index: StoredIndex): Promise<boolean> {
  for (let round = 0; round < 3; round++) {
    const before = await countScopes(index.id);
    const points = await store.count(index);
    const after = await countScopes(index.id);
    // While documents come in there is nothing to compare.
    if (before.all !== after.all || before.open !== after.open) continue;
    return points.all === after.all && points.open === after.open;
  }
  return true;
}

/**
 * Whether a store holds just the vectors that an index has entries for, each where those who see it look for it.
 *
 * @throws AppError `unavailable` when the store can't be asked
 */
export async function isSound({ id, orgId, space, store: name }: IndexRow): Promise<boolean> {
  const store = findStore(name);
  if (!store || !space || space.dimensions === 0) return true;
  const stored = { id, orgId, dimensions: space.dimensions };
  return store.where === "file" ? isSoundInFile(store, stored) : isSoundOnServer(store, stored);
}

/**
 * Whether the store of an index that is about to serve holds just what was put into it; also where it can't be used now.
 *
 * @throws AppError `unavailable` when the store can't be asked
 */
export async function isWhole(index: IndexRow): Promise<boolean> {
  const store = findStore(index.store);
  return !store || store.problem(index.orgId) !== undefined || (await isSound(index));
}

/**
 * Whether every chunk that is searched has its entry in an index with vectors: one that was cut while an index was
 * made, or whose vector vanished, would be found by no one who asks for its meaning.
 */
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
