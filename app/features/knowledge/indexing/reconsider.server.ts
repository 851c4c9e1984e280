import { db, transaction } from "~/core/db.server";
import { append } from "~/features/audit/audit.service.server";
import { readRagSettings } from "~/features/settings/settings.service.server";
import { type IndexRow, listIndexes, updateIndex } from "../indexes.repo.server";
import { findStore } from "../stores/index.server";
import { systemActor } from "../system-actor.server";
import { beginIndex } from "./live-indexes.server";
import { describeIndex, switchIndex } from "./switch-index.server";
import { isMadeOf, readTarget } from "./target.server";

const isAhead = ({ state }: IndexRow) => state === "building" || state === "ready";
/** A row that says why there is no index of its kind. */
const isMark = ({ state }: IndexRow) => state === "cancelled" || state === "failed";

/**
 * Compares the indexes with what the settings ask for and begins, gives up or switches to one accordingly. What a person
 * cancelled, or what failed for good, isn't begun again until the settings ask for something else, or a person does.
 *
 * @returns whether anything was changed
 */
export function reconsider(orgId: string): boolean {
  if (!readRagSettings(orgId).ragEnabled) return false;
  const indexes = listIndexes(db(), orgId);
  const serving = indexes.find(({ state }) => state === "serving");
  if (!serving) return false;
  const target = readTarget(orgId);
  const actor = systemActor(orgId);
  const fits = (index: IndexRow) => isMadeOf(index, target);
  // One that is made anew beside an equal one stays.
  const outdated = indexes.filter((index) => isAhead(index) && !fits(index));
  const waiting = indexes.find((index) => index.state === "ready" && fits(index));
  const forgotten = indexes.filter((index) => isMark(index) && !fits(index));
  const begins = !fits(serving) && !indexes.some((index) => fits(index) && (isAhead(index) || isMark(index)));
  // Nothing can be built where the file can't hold vectors; what there is serves on.
  const unable = findStore(target.store)?.problem(orgId) !== undefined;
  if (outdated.length + forgotten.length === 0 && !(begins && !unable) && !(waiting && !target.held))
    return false;
  transaction((tx) => {
    for (const index of outdated) {
      updateIndex(tx, index.id, { state: "retired" });
      append(tx, actor, {
        action: "index.cancelled",
        resource: `index:${index.id}`,
        details: { ...describeIndex(index), reason: "The settings ask for another one." },
      });
    }
    for (const { id } of forgotten) updateIndex(tx, id, { state: "retired" });
    if (begins && !unable)
      beginIndex(tx, orgId, target, { state: "building", held: target.held, createdBy: "system" });
    if (waiting && !target.held) switchIndex(tx, actor, waiting);
  });
  return true;
}

/** Begins an index equal to the serving one, to take its place: something in that one isn't as it should be. */
export function beginAnew(index: IndexRow, createdBy: string): number {
  const { chunkSet, space, store, orgId } = index;
  const embedder = space && {
    kind: space.kind,
    model: space.model,
    key: space.key,
    label: space.model,
    route: { via: "builtin" as const },
  };
  return transaction((tx) =>
    beginIndex(
      tx,
      orgId,
      { chunkSetKey: chunkSet.key, embedder, store },
      { state: "building", held: false, createdBy },
    ),
  );
}
