import { db, transaction } from "~/core/db.server";
import { append } from "~/platform/audit/audit.service.server";
import { readSettings } from "~/platform/settings/read-settings.service.server";
import { type IndexRow, listIndexes, updateIndex } from "../indexes.repo.server";
import { knowledgeChanged } from "../knowledge-changes.server";
import { findStore } from "../stores/index.server";
import { systemActor } from "../system-actor.server";
import { createIndex } from "./live-indexes.server";
import { describeIndex } from "./switch-index.server";
import { matchesTarget, readTarget } from "./target.server";

const isPending = ({ state }: IndexRow) => state === "building" || state === "ready";
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
 * Starts, cancels or releases indexes to match the settings. Canceled and failed ones aren't restarted.
 * @returns whether anything was changed
 */
export function reconcile(orgId: string): boolean {
  if (!readSettings(orgId, "rag").ragEnabled) return false;
  const { indexes, active, target, isMatch, isUnsupported, wasStopped, shouldKeep } =
    compareWithTarget(orgId);
  if (!active) return false;
  const actor = systemActor(orgId);
  const outdated = indexes.filter((index) => isPending(index) && !shouldKeep(index));
  const waiting = indexes.find((index) => index.state === "ready" && isMatch(index));
  const released = waiting && !target.needsApproval ? waiting : undefined;
  const stale = indexes.filter((index) => isStopped(index) && !isMatch(index));
  const hasPending = indexes.some((index) => isMatch(index) && isPending(index));
  const shouldStart = !isMatch(active) && !hasPending && !wasStopped && !isUnsupported;
  if (outdated.length + stale.length === 0 && !shouldStart && !released) return false;
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
    if (shouldStart)
      createIndex(tx, orgId, target, {
        state: "building",
        needsApproval: target.needsApproval,
        createdBy: "system",
      });
    // The builder verifies it again before switching.
    if (released) updateIndex(tx, released.id, { state: "building", needsApproval: false });
  });
  knowledgeChanged({ orgId });
  return true;
}

export function restartIndex({ chunkSet, space, store, orgId }: IndexRow): void {
  const embedder = space && {
    kind: space.kind,
    model: space.model,
    key: space.key,
    label: space.model,
    route: { via: "builtin" as const },
  };
  const options = { state: "building", needsApproval: false, createdBy: "system" } as const;
  transaction((tx) => createIndex(tx, orgId, { chunkSetKey: chunkSet.key, embedder, store }, options));
}
