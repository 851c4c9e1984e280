import { withDeadline } from "~/core/abort";
import { db, transaction } from "~/core/db.server";
import { log } from "~/core/log.server";
import { append } from "~/platform/audit/audit.service.server";
import { type IndexRow, listIndexes, updateIndex } from "../indexes.repo.server";
import { knowledgeChanged } from "../knowledge-changes.server";
import { systemActor } from "../system-actor.server";
import { findIndex } from "./backoff.server";
import { checkTerms, isConsistent } from "./check-index.server";
import { isDirty } from "./dirty-indexes.server";
import { describeIndex, isNeeded, recountChunks, switchIndex } from "./live-indexes.server";

/** Time limit of the comparison before a switch (ms). */
const COMPARE_WITHIN = 60_000;
const tooLong = () => new Error("The comparison took too long.");

/** Ends an unfinished index whose store doesn't match it. */
export function failIndex({ id, orgId }: IndexRow): void {
  log.warn("a new index differs from its source", { index: id });
  transaction((tx) =>
    updateIndex(tx, id, { state: "failed", error: "The index is inconsistent. Rebuild it." }),
  );
  knowledgeChanged({ orgId });
}

/**
 * Finishes a build: verifies and compares it, then switches or awaits approval.
 * @throws AppError `unavailable`
 */
export async function finishIndex(built: IndexRow, signal: AbortSignal): Promise<void> {
  const { orgId } = built;
  await checkTerms(built, signal);
  if (!(await isConsistent(built))) {
    failIndex(built);
    return;
  }
  const active = listIndexes(db(), orgId).find(({ state }) => state === "serving");
  // A comparison ignores the signal while it waits for another check.
  if (active)
    await withDeadline({ ms: COMPARE_WITHIN, timeoutError: tooLong, signal }, (ending) =>
      compareBeforeSwitch(orgId, active.id, built.id, { signal: ending }),
    );
  signal.throwIfAborted();
  const index = findIndex(built);
  // Canceled, no longer requested, or dirty.
  if (index?.state !== "building" || isDirty(index.id) || !isNeeded(index)) return;
  const actor = systemActor(orgId);
  const awaitsApproval = index.needsApproval && index.done > 0;
  transaction((tx) => {
    append(tx, actor, {
      action: "index.built",
      resource: `index:${index.id}`,
      details: describeIndex(index),
    });
    if (awaitsApproval) updateIndex(tx, index.id, { state: "ready", error: null });
    else switchIndex(tx, actor, index);
  });
  if (!awaitsApproval) await recountChunks(index);
  knowledgeChanged({ orgId });
}

type CompareIndexes = (
  orgId: string,
  active: number,
  next: number,
  options: { signal: AbortSignal },
) => Promise<void>;

let compare: CompareIndexes | undefined;

export function onBeforeSwitch(run: CompareIndexes): () => void {
  compare = run;
  return () => {
    if (compare === run) compare = undefined;
  };
}

const compareBeforeSwitch: CompareIndexes = async (...args) => compare?.(...args);
