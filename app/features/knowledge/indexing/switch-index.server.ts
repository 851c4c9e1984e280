import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { inSlices } from "~/core/time-slices.server";
import { append } from "~/features/audit/audit.service.server";
import { countVersionChunks, listServedVersions, setChunkCount } from "../chunks.repo.server";
import { labelOf } from "../embedding/space.server";
import { deleteEntry, type IndexRow, listEntries, listIndexes, updateIndex } from "../indexes.repo.server";
import { findStore } from "../stores/index.server";
import { isSound } from "./check-index.server";

const PAGE = 500;

/** What the audit trail tells of an index. */
export function describeIndex({ space, store, chunkSet, done }: IndexRow) {
  return { embedder: space ? labelOf(space) : "none", store, chunking: chunkSet.key, chunks: done };
}

/** Makes an index the one that is searched, in the running transaction; the one before retires. */
export function switchIndex(tx: Db, actor: Actor, index: IndexRow): void {
  for (const { id, state } of listIndexes(tx, index.orgId)) {
    if (state === "serving") updateIndex(tx, id, { state: "retired" });
  }
  updateIndex(tx, index.id, { state: "serving", held: false, error: null, servedAt: now() });
  append(tx, actor, {
    action: "index.switched",
    resource: `index:${index.id}`,
    details: describeIndex(index),
  });
}

/** Counts the documents' chunks anew, after a switch to another way of cutting. */
export async function recountChunks(index: IndexRow, signal?: AbortSignal): Promise<void> {
  for (let after = ""; ; ) {
    const page = listServedVersions(db(), index.orgId, after, PAGE);
    const last = page.at(-1);
    if (!last) return;
    await inSlices(
      page,
      (tx, { documentId, versionId }) =>
        setChunkCount(tx, documentId, countVersionChunks(tx, index.chunkSetId, versionId)),
      { signal },
    );
    after = last.documentId;
  }
}

/** Forgets what an index holds and takes its place in the store away. */
export async function emptyIndex(index: IndexRow, signal?: AbortSignal): Promise<void> {
  const { id, orgId, space } = index;
  await findStore(index.store)?.drop({ id, orgId, dimensions: space?.dimensions ?? 0 });
  for (;;) {
    const page = listEntries(db(), id, 0, PAGE);
    if (page.length === 0) return;
    await inSlices(page, (tx, chunkId) => deleteEntry(tx, id, chunkId), { signal });
  }
}

/**
 * Makes sure before a switch that the store holds what was put into it.
 *
 * @throws AppError `unavailable` when it doesn't, or can't be asked; it is filled anew at the next try
 */
export async function assertWhole(index: IndexRow): Promise<void> {
  const store = findStore(index.store);
  if (!store || store.problem(index.orgId) || (await isSound(index))) return;
  await emptyIndex(index);
  transaction((tx) => updateIndex(tx, index.id, { done: 0 }));
  throw new AppError(
    "unavailable",
    `What stands in ${store.label} isn't what was put there; it is put in once more.`,
  );
}
