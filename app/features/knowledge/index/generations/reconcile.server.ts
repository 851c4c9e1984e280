import { db, transaction } from "~/core/db.server";
import { append } from "~/features/audit/audit.service.server";
import { readSettings } from "~/features/settings/read-settings.service.server";
import { knowledgeChanged } from "../../documents/changes.server";
import { type IndexRow, listIndexes, updateIndex } from "../indexes.repo.server";
import { findStore } from "../stores/index.server";
import { systemActor } from "../system-actor.server";
import { createIndex } from "./live-indexes.server";
import { describeIndex } from "./switch-index.server";
import { isMadeOf, readTarget } from "./target.server";

const isAhead = ({ state }: IndexRow) => state === "building" || state === "ready";
/** Records why there is no such index. */
const isMark = ({ state }: IndexRow) => state === "cancelled" || state === "failed";

const isAlike = (a: IndexRow, b: IndexRow) =>
  a.chunkSetId === b.chunkSetId && a.spaceId === b.spaceId && a.store === b.store;

function compare(orgId: string) {
  const indexes = listIndexes(db(), orgId);
  const active = indexes.find(({ state }) => state === "serving");
  const target = readTarget(orgId);
  const fits = (index: IndexRow) => isMadeOf(index, target);
  // Without vector support nothing can be built; existing indexes stay active.
  const unable = findStore(target.store)?.problem(orgId) !== undefined;
  const marked = indexes.some((index) => isMark(index) && fits(index));
  // A rebuild of an equal index is kept unless it would be replaced.
  const stays = (index: IndexRow) =>
    fits(index) || (active !== undefined && isAlike(index, active) && (unable || marked));
  return { indexes, serving: active, target, fits, unable, marked, stays };
}

export function isNeeded(index: IndexRow): boolean {
  return readSettings(index.orgId, "rag").ragEnabled && compare(index.orgId).stays(index);
}

/**
 * Starts, cancels or releases indexes to match the settings. Canceled and failed ones aren't restarted.
 * @returns whether anything was changed
 */
export function reconcile(orgId: string): boolean {
  if (!readSettings(orgId, "rag").ragEnabled) return false;
  const { indexes, serving: active, target, fits, unable, marked, stays } = compare(orgId);
  if (!active) return false;
  const actor = systemActor(orgId);
  const outdated = indexes.filter((index) => isAhead(index) && !stays(index));
  const waiting = indexes.find((index) => index.state === "ready" && fits(index));
  const released = waiting && !target.held ? waiting : undefined;
  const forgotten = indexes.filter((index) => isMark(index) && !fits(index));
  const ahead = indexes.some((index) => fits(index) && isAhead(index));
  const begins = !fits(active) && !ahead && !marked && !unable;
  if (outdated.length + forgotten.length === 0 && !begins && !released) return false;
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
    for (const { id } of forgotten) updateIndex(tx, id, { state: "retired" });
    if (begins) createIndex(tx, orgId, target, { state: "building", held: target.held, createdBy: "system" });
    // The builder verifies it again before switching.
    if (released) updateIndex(tx, released.id, { state: "building", held: false });
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
  const how = { state: "building", held: false, createdBy: "system" } as const;
  transaction((tx) => createIndex(tx, orgId, { chunkSetKey: chunkSet.key, embedder, store }, how));
}
