import { onAccessChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { append } from "~/features/audit/audit.service.server";
import { authorise } from "~/features/members/authorisation.server";
import { listIndexes } from "./indexes.repo.server";
import { readFigures, type VisibleFigures } from "./retrieval-check/figures.server";
import {
  type CheckTarget,
  questionsFor,
  runCheck,
  type SearchOnce,
  targetsOf,
} from "./retrieval-check/run-check.server";
import {
  onCheckStep,
  type RunningCheck,
  runningCheck,
  stopChecks,
  trackCheck,
} from "./retrieval-check/running.server";
import { searchOnce } from "./retrieval-check/search-once.server";
import { readVisibleResults } from "./retrieval-check/visible-results.server";
import { countQuestionRows, listRunIds, listRunRows } from "./retrieval-check.repo.server";
import {
  type CheckedSetting,
  type CheckRun,
  type CheckRunDetail,
  CheckSetting,
} from "./retrieval-check.schema";
import { systemActor } from "./system-actor.server";

/** Ends every running check, before the process leaves. */
export { stopChecks };

const iso = (time: number) => new Date(time).toISOString();

function toRunning(check: RunningCheck): CheckRun {
  const { run: id, reason, questions, judged, done, total, startedAt } = check;
  return {
    id,
    state: "running",
    reason,
    questions,
    judged,
    done,
    total,
    settings: [],
    createdAt: iso(startedAt),
  };
}

type Rows = ReturnType<typeof listRunRows>;

/** What was stored by a program that knew other fields is left out. */
function toRun(id: string, rows: Rows, visible: ReadonlyMap<string, VisibleFigures>): CheckRun | undefined {
  const settings: CheckedSetting[] = [];
  let whole: CheckSetting | undefined;
  let judged = 0;
  for (const row of rows) {
    const parsed = CheckSetting.safeParse(row.setting);
    if (!parsed.success || parsed.data.run !== id) continue;
    whole ??= parsed.data;
    const { index, complete, mode, embedder, chunking, store, error } = parsed.data;
    const { judged: by = 0, ...figures } = visible.get(row.id) ?? NO_FIGURES;
    judged = Math.max(judged, by);
    settings.push({ id: row.id, index, complete, mode, embedder, chunking, store, ...figures, error });
  }
  const createdAt = rows[0]?.createdAt;
  if (!whole || createdAt === undefined) return undefined;
  const { reason, questions } = whole;
  const total = judged * settings.length;
  return {
    id,
    state: "done",
    reason,
    questions,
    judged,
    done: total,
    total,
    settings,
    createdAt: iso(createdAt),
  };
}

const NO_FIGURES = { judged: 0, hitRate: null, mrr: null, ndcg: null };

/** The check that is being made, if one is. */
export function findRunning(actor: Actor): CheckRun | undefined {
  authorise(actor, "documents.search");
  const running = runningCheck(actor.orgId);
  return running && toRunning(running);
}

/**
 * The organisation's runs, newest first; the one that is being made stands at the top. Their figures are over what the
 * actor sees, whoever ran them.
 */
export async function listRuns(actor: Actor, limit: number): Promise<CheckRun[]> {
  const running = findRunning(actor);
  const ids = listRunIds(db(), actor.orgId, limit);
  const visible = await readFigures(actor, ids);
  const rows = ids.length > 0 ? listRunRows(db(), actor.orgId, ids) : [];
  const stored = ids.flatMap((id) => {
    const own = rows.filter((row) => (row.setting as { run?: unknown }).run === id);
    return toRun(id, own, visible) ?? [];
  });
  return (running ? [running, ...stored] : stored).slice(0, limit);
}

/** One run with what each question found in each setting, as far as the actor sees its documents. */
export async function readRun(actor: Actor, id: string): Promise<CheckRunDetail> {
  const running = findRunning(actor);
  if (running?.id === id) return { ...running, results: {} };
  const visible = await readFigures(actor, [id]);
  const run = toRun(id, listRunRows(db(), actor.orgId, [id]), visible);
  if (!run) throw new AppError("not_found", "There is no such check. Only the newest are kept.");
  const ids = run.settings.map((setting) => setting.id);
  const results = readVisibleResults(actor, ids);
  return { ...run, results: Object.fromEntries(results) };
}

/**
 * Hears whenever an organisation's running check has gone a step further; of `undefined` when it is over, or when the
 * actor's access has changed.
 *
 * @returns the way to stop
 */
export function watchCheck(actor: Actor, listener: (run: CheckRun | undefined) => void): () => void {
  authorise(actor, "documents.search");
  const leaveSteps = onCheckStep(actor.orgId, () => {
    const running = runningCheck(actor.orgId);
    listener(running && toRunning(running));
  });
  const leaveAccess = onAccessChanged((userId) => {
    if (userId === actor.userId) listener(undefined);
  });
  return () => {
    leaveSteps();
    leaveAccess();
  };
}

function begin(
  actor: Actor,
  reason: CheckSetting["reason"],
  targets: readonly CheckTarget[],
  search: SearchOnce,
): RunningCheck {
  const questions = questionsFor(actor);
  const judged = questions.filter(({ passages }) => passages.length > 0).length;
  const about = {
    run: newId("rck"),
    orgId: actor.orgId,
    reason,
    questions: questions.length,
    judged,
    total: judged * targets.length,
  };
  return trackCheck(about, async ({ run, controller }, step) => {
    try {
      await runCheck(actor, { run, reason, targets, search, signal: controller.signal, onSearch: step });
    } catch (error) {
      // Nobody waits for it: what was stopped on purpose is no news, the rest is.
      if (!controller.signal.aborted) log.error("a retrieval check could not be finished", { error });
    }
  });
}

function currentTargets(orgId: string): CheckTarget[] {
  const indexes = listIndexes(db(), orgId);
  const serving = indexes.find(({ state }) => state === "serving");
  const next = indexes.findLast(({ state }) => state === "building" || state === "ready");
  return targetsOf([
    ...(serving ? [{ index: serving, role: "serving" as const }] : []),
    ...(next ? [{ index: next, role: "next" as const }] : []),
  ]);
}

/**
 * Begins to ask all saved questions of the serving index and of the one that is being built, in each way they can be
 * searched. It goes on by itself; `listRuns` tells how far it is.
 *
 * @throws AppError `conflict` while a check runs, and without questions or documents to check
 */
export function startCheck(actor: Actor, search: SearchOnce = searchOnce): CheckRun {
  authorise(actor, "documents.write");
  if (runningCheck(actor.orgId))
    throw new AppError("conflict", "A check is running already. Wait for it, or stop it.");
  if (countQuestionRows(db(), actor.orgId) === 0) {
    throw new AppError("conflict", "There are no questions to check with. Add one first.");
  }
  const targets = currentTargets(actor.orgId);
  if (targets.length === 0) throw new AppError("conflict", "There is no index yet. Add a document first.");
  const running = begin(actor, "asked", targets, search);
  record(actor, "retrieval_check.started", running);
  return toRunning(running);
}

function record(
  actor: Actor,
  action: "retrieval_check.started" | "retrieval_check.stopped",
  { run }: RunningCheck,
): void {
  transaction((tx) => append(tx, actor, { action, resource: `retrieval-check:${run}` }));
}

/** Ends the running check; nothing of it is kept. Without one it does nothing. */
export async function stopCheck(actor: Actor): Promise<void> {
  authorise(actor, "documents.write");
  const running = runningCheck(actor.orgId);
  if (!running) return;
  record(actor, "retrieval_check.stopped", running);
  running.controller.abort(new Error("The check was stopped."));
  await running.over;
}

/**
 * Checks a finished index beside the one it is to replace, before the switch, as somebody who sees what everyone sees.
 * It never throws: what can't be measured must not keep a new index from serving.
 *
 * @param old the serving index's id
 */
export async function checkIndexes(
  orgId: string,
  old: number,
  next: number,
  { search = searchOnce, signal }: { search?: SearchOnce; signal?: AbortSignal } = {},
): Promise<void> {
  try {
    if (countQuestionRows(db(), orgId) === 0) return;
    await runningCheck(orgId)?.over;
    const indexes = listIndexes(db(), orgId);
    const before = indexes.find(({ id }) => id === old);
    const after = indexes.find(({ id }) => id === next);
    if (!before || !after) return;
    const actor: Actor = { ...systemActor(orgId), role: "viewer" };
    const targets = targetsOf([
      { index: before, role: "serving" },
      { index: after, role: "next" },
    ]);
    const { controller, over } = begin(actor, "switch", targets, search);
    const stop = () => controller.abort(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
    await over;
    signal?.removeEventListener("abort", stop);
  } catch (error) {
    log.error("the indexes could not be compared before the switch", { error, orgId });
  }
}
