import { once } from "node:events";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { append } from "~/features/audit/audit.service.server";
import { knowledgeChanged } from "../../documents/changes.server";
import { type IndexRow, listIndexes, updateIndex } from "../indexes.repo.server";
import { systemActor } from "../system-actor.server";
import { findIndex, inheritBackoff } from "./backoff.server";
import { compareBeforeSwitch } from "./before-switch.server";
import { isComplete, isWhole, mendTerms } from "./check-index.server";
import { isDirty } from "./dirty-indexes.server";
import { isWanted, replaceIndex } from "./reconcile.server";
import { describeIndex, recountChunks, switchIndex } from "./switch-index.server";

/** Time limit of the comparison before a switch (ms). */
const COMPARE_WITHIN = 60_000;

const UNLIKE = "The index is inconsistent and is being rebuilt.";

/** Verifies that an index is complete. @returns false if another build replaced it */
async function prove(index: IndexRow, signal: AbortSignal): Promise<boolean> {
  const mended = await mendTerms(index, signal);
  if (mended > 0) log.warn("repaired the keyword index", { index: index.id, rows: mended });
  if (!(await isWhole(index))) {
    const id = replaceIndex(index);
    const next = id === undefined ? undefined : listIndexes(db(), index.orgId).find((row) => row.id === id);
    if (next) inheritBackoff(index, { ...next, done: index.done }, new AppError("unavailable", UNLIKE));
    return false;
  }
  if (isDirty(index.id) || (await isComplete(index))) return true;
  throw new AppError("unavailable", "Passages are missing from the index and are being added again.");
}

/**
 * Finishes a build: verifies and compares it, then switches or awaits approval.
 * @throws AppError `unavailable`
 */
export async function finishIndex(built: IndexRow, signal: AbortSignal): Promise<void> {
  if (!(await prove(built, signal))) return;
  const { orgId } = built;
  const serving = listIndexes(db(), orgId).find(({ state }) => state === "serving");
  const within = AbortSignal.any([signal, AbortSignal.timeout(COMPARE_WITHIN)]);
  // A requested check would ignore the signal while it waits.
  if (serving)
    await Promise.race([
      compareBeforeSwitch(orgId, serving.id, built.id, { signal: within }),
      once(within, "abort"),
    ]);
  signal.throwIfAborted();
  const index = findIndex(built);
  // Canceled, no longer requested, or dirty.
  if (index?.state !== "building" || isDirty(index.id) || !isWanted(index)) return;
  const actor = systemActor(orgId);
  const waits = index.held && index.done > 0;
  transaction((tx) => {
    append(tx, actor, {
      action: "index.built",
      resource: `index:${index.id}`,
      details: describeIndex(index),
    });
    if (waits) updateIndex(tx, index.id, { state: "ready", error: null });
    else switchIndex(tx, actor, index);
  });
  if (!waits) await recountChunks(index);
  knowledgeChanged({ orgId });
}
