import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { type ChunkSetRow, findChunkSet, insertChunkSet } from "../chunk-sets.repo.server";
import { findSpace, insertSpace, type SpaceRow } from "../embeddings.repo.server";
import { type IndexRow, type IndexState, insertIndex, listIndexes } from "../indexes.repo.server";
import { openTerms } from "../stores/terms-index.server";
import { type IndexTarget, NO_STORE, OWN_STORE, readTarget } from "./target.server";

/** New documents are added to all of these. */
const LIVE: readonly IndexState[] = ["building", "ready", "serving"];

export function listLiveIndexes(orgId: string): IndexRow[] {
  return listIndexes(db(), orgId).filter(({ state }) => LIVE.includes(state));
}

export function activeIndex(orgId: string): IndexRow | undefined {
  return listIndexes(db(), orgId).find(({ state }) => state === "serving");
}

function findOrCreateChunkSet(tx: Db, orgId: string, key: string): ChunkSetRow {
  const set = findChunkSet(tx, orgId, key) ?? insertChunkSet(tx, { orgId, key, createdAt: now() });
  openTerms(set.id);
  return set;
}

function findOrCreateSpace(tx: Db, orgId: string, embedder: IndexTarget["embedder"]): SpaceRow | null {
  if (!embedder) return null;
  const { key, kind, model } = embedder;
  // The first response determines the vectors' length.
  return (
    findSpace(tx, orgId, key) ?? insertSpace(tx, { orgId, key, kind, model, dimensions: 0, createdAt: now() })
  );
}

export function createIndex(
  tx: Db,
  orgId: string,
  target: IndexTarget,
  options: { state: "building" | "serving"; needsApproval: boolean; createdBy: string },
): number {
  const chunkSet = findOrCreateChunkSet(tx, orgId, target.chunkSetKey);
  const space = findOrCreateSpace(tx, orgId, target.embedder);
  return insertIndex(tx, {
    orgId,
    chunkSetId: chunkSet.id,
    spaceId: space?.id ?? null,
    store: target.store,
    ...options,
    createdAt: now(),
    servedAt: options.state === "serving" ? now() : null,
  });
}

/** Creates the first index with the first document, in the console's own file. */
export function requireActiveIndex(orgId: string): IndexRow {
  const existing = activeIndex(orgId);
  if (existing) return existing;
  const target = readTarget(orgId);
  const store = target.store === NO_STORE ? NO_STORE : OWN_STORE;
  transaction((tx) =>
    createIndex(
      tx,
      orgId,
      { ...target, store },
      { state: "serving", needsApproval: false, createdBy: "system" },
    ),
  );
  const created = activeIndex(orgId);
  if (!created) throw new Error("The new index no longer exists. Rebuild the index.");
  return created;
}
