import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, runInBatches, transaction } from "~/core/db.server";
import { append } from "~/platform/audit/audit.service.server";
import { readSettings } from "~/platform/settings/settings.service.server";
import { chunkSetKey } from "../chunking/chunk";
import {
  type ChunkSetRow,
  countVersionChunks,
  findChunkSet,
  findSpace,
  insertChunkSet,
  insertSpace,
  type SpaceRow,
} from "../chunks.repo.server";
import { labelOf } from "../embedding/choose-embedder.server";
import { fitChunking, knownLimit } from "../embedding/model-limits";
import { listActiveVersions, setChunkCount } from "../indexed-documents.repo.server";
import { type IndexRow, insertIndex, LIVE, listIndexes, updateIndex } from "../indexes.repo.server";
import { knowledgeChanged } from "../knowledge-changes.server";
import { findStore } from "../stores/index.server";
import { openTerms } from "../stores/terms-index.server";
import { systemActor } from "../system-actor.server";
import { type IndexTarget, matchesTarget, NO_STORE, OWN_STORE, readTarget } from "./target.server";

const VERSIONS_PER_PAGE = 500;

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
  const maxTokens = kind === "model" ? knownLimit(model) : null;
  return (
    findSpace(tx, orgId, key) ??
    // The first response determines the vectors' length.
    insertSpace(tx, { orgId, key, kind, model, dimensions: 0, maxTokens, createdAt: now() })
  );
}

export function createIndex(
  tx: Db,
  orgId: string,
  target: IndexTarget,
  { state, createdBy = "system" }: { state: "building" | "serving"; createdBy?: string },
): number {
  const space = findOrCreateSpace(tx, orgId, target.embedder);
  const key = chunkSetKey(fitChunking(target.chunking, space?.maxTokens ?? null));
  return insertIndex(tx, {
    orgId,
    chunkSetId: findOrCreateChunkSet(tx, orgId, key).id,
    spaceId: space?.id ?? null,
    store: target.store,
    state,
    createdBy,
    createdAt: now(),
    servedAt: state === "serving" ? now() : null,
  });
}

/** Creates the first index with the first document, in the console's own file. */
export function requireActiveIndex(orgId: string): IndexRow {
  const existing = activeIndex(orgId);
  if (existing) return existing;
  const target = readTarget(orgId);
  const store = target.store === NO_STORE ? NO_STORE : OWN_STORE;
  transaction((tx) => createIndex(tx, orgId, { ...target, store }, { state: "serving" }));
  const created = activeIndex(orgId);
  if (!created) throw new Error("The new index no longer exists. Rebuild the index.");
  return created;
}

const isBuilding = ({ state }: IndexRow) => state === "building";
/** Kept as a record, so that it isn't rebuilt automatically. */
const isStopped = ({ state }: IndexRow) => state === "cancelled" || state === "failed";

const hasSameParts = (a: IndexRow, b: IndexRow) =>
  a.chunkSetId === b.chunkSetId && a.spaceId === b.spaceId && a.store === b.store;

function compareWithTarget(orgId: string) {
  const indexes = listIndexes(db(), orgId);
  const active = indexes.find(({ state }) => state === "serving");
  const target = readTarget(orgId);
  const isMatch = (index: IndexRow) => matchesTarget(index, target);
  // Without vector support nothing can be built; existing indexes stay active.
  const isUnsupported = findStore(target.store)?.problem(orgId) !== undefined;
  const wasStopped = indexes.some((index) => isStopped(index) && isMatch(index));
  // A rebuild of an equal index is kept unless it would be replaced.
  const shouldKeep = (index: IndexRow) =>
    isMatch(index) || (active !== undefined && hasSameParts(index, active) && (isUnsupported || wasStopped));
  return { indexes, active, target, isMatch, isUnsupported, wasStopped, shouldKeep };
}

export function isNeeded(index: IndexRow): boolean {
  return readSettings(index.orgId, "rag").ragEnabled && compareWithTarget(index.orgId).shouldKeep(index);
}

/**
 * Starts and cancels builds to match the settings. Canceled and failed ones aren't restarted.
 * @returns whether anything was changed
 */
export function reconcile(orgId: string): boolean {
  if (!readSettings(orgId, "rag").ragEnabled) return false;
  const { indexes, active, target, isMatch, isUnsupported, wasStopped, shouldKeep } =
    compareWithTarget(orgId);
  if (!active) return false;
  const actor = systemActor(orgId);
  const outdated = indexes.filter((index) => isBuilding(index) && !shouldKeep(index));
  const stale = indexes.filter((index) => isStopped(index) && !isMatch(index));
  const hasPending = indexes.some((index) => isMatch(index) && isBuilding(index));
  const shouldStart = !isMatch(active) && !hasPending && !wasStopped && !isUnsupported;
  if (outdated.length + stale.length === 0 && !shouldStart) return false;
  transaction((tx) => {
    for (const index of outdated) {
      updateIndex(tx, index.id, { state: "retired" });
      append(tx, actor, {
        action: "index.cancelled",
        resource: `index:${index.id}`,
        details: {
          ...describeIndex(index),
          reason: "The settings have changed. A new index is being built.",
        },
      });
    }
    for (const { id } of stale) updateIndex(tx, id, { state: "retired" });
    if (shouldStart) createIndex(tx, orgId, target, { state: "building" });
  });
  knowledgeChanged({ orgId });
  return true;
}

/** Builds an index of the same parts again. */
export function restartIndex({ orgId, chunkSetId, spaceId, store }: IndexRow): void {
  const parts = { orgId, chunkSetId, spaceId, store };
  transaction((tx) =>
    insertIndex(tx, { ...parts, state: "building", createdBy: "system", createdAt: now(), servedAt: null }),
  );
}

export function describeIndex({ space, store, chunkSet, done }: IndexRow) {
  return { embedder: space ? labelOf(space) : "none", store, chunking: chunkSet.key, chunks: done };
}

/** Makes an index active and retires the previous one, within the transaction. */
export function switchIndex(tx: Db, actor: Actor, index: IndexRow): void {
  for (const { id, state } of listIndexes(tx, index.orgId)) {
    if (state === "serving") updateIndex(tx, id, { state: "retired" });
  }
  updateIndex(tx, index.id, { state: "serving", error: null, servedAt: now() });
  append(tx, actor, {
    action: "index.switched",
    resource: `index:${index.id}`,
    details: describeIndex(index),
  });
}

/** Recounts the documents' chunks after a switch to another chunking. */
export async function recountChunks(index: IndexRow, signal?: AbortSignal): Promise<void> {
  for (let after = ""; ; ) {
    const page = listActiveVersions(db(), index.orgId, after, VERSIONS_PER_PAGE);
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
