import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { kept } from "~/core/process.server";
import { append } from "~/platform/audit/audit.service.server";
import { publish } from "~/platform/events/events.service.server";
import { abortJob } from "~/platform/jobs/dispatcher.service.server";
import { cancelJobWithin, enqueue, findActive } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { activeIndex } from "~/work/index/generations/live-indexes.server";
import type { IndexRow } from "~/work/index/indexes.repo.server";
import { countQuestionRows, listRunIds, listRunResults, listRunRows } from "./retrieval-check.repo.server";
import { CheckedQuestion, type CheckRun, type CheckRunDetail, CheckSetting } from "./retrieval-check.schema";
import { listCheckQuestions, modesOf, type RunOptions, runCheck, type SearchOnce } from "./run-check.server";

const CheckRequest = z.object({
  run: z.string(),
  questions: z.number().int(),
  judged: z.number().int(),
  total: z.number().int(),
});
type CheckRequest = z.infer<typeof CheckRequest>;

export const requestedCheck = declareJob({ kind: "retrieval.check", input: CheckRequest, lane: "bulk" });

export const findRequestedCheck = (tx: Db, orgId: string) => findActive(tx, requestedCheck, orgId);

interface RunningCheck extends CheckRequest {
  orgId: string;
  done: number;
  startedAt: number;
  /** Resolves when the check ends; never rejects. */
  finished: Promise<void>;
}

const checks = () => kept("retrieval checks", () => new Map<string, RunningCheck>());

function publishCheckProgress(orgId: string): void {
  publish({ topic: "retrieval-checks", orgId });
}

/** Tracks the organization's only running check. @throws as `runCheck` */
function runTrackedCheck(actor: Actor, check: Omit<RunOptions, "onSearch">): Promise<void> {
  const { orgId } = actor;
  const running = checks();
  const about = { run: check.run, orgId, ...sizeOf(orgId, check.index) };
  const tracked: RunningCheck = { ...about, done: 0, startedAt: now(), finished: Promise.resolve() };
  running.set(orgId, tracked);
  publishCheckProgress(orgId);
  const onSearch = () => {
    tracked.done += 1;
    publishCheckProgress(orgId);
  };
  const work = runCheck(actor, { ...check, onSearch }).finally(() => {
    running.delete(orgId);
    publishCheckProgress(orgId);
  });
  tracked.finished = work.catch(() => undefined);
  return work;
}

function toRequested({ input, createdAt }: { input: CheckRequest; createdAt: number }): CheckRun {
  const { run: id, ...size } = input;
  const createdTime = isoTime(createdAt);
  return { id, state: "running", ...size, done: 0, settings: [], createdAt: createdTime };
}

function toRunning({ run: id, orgId: _, finished: __, startedAt, ...size }: RunningCheck): CheckRun {
  return { id, state: "running", ...size, settings: [], createdAt: isoTime(startedAt) };
}

function toRun(id: string, rows: ReturnType<typeof listRunRows>): CheckRun | undefined {
  const parsed = rows.flatMap((row) => {
    const { data } = CheckSetting.safeParse(row.setting);
    return data?.run === id ? [{ row, data }] : [];
  });
  const [first] = parsed;
  if (!first) return undefined;
  const { questions, judged } = first.data;
  const settings = parsed.map(({ row, data: { run: _, questions: __, judged, ...measured } }) => {
    const { hitRate, mrr, ndcg } = judged > 0 && measured.error === null ? row : NO_FIGURES;
    return { id: row.id, ...measured, hitRate, mrr, ndcg };
  });
  const total = judged * settings.length;
  const size = { questions, judged, done: total, total };
  return { id, state: "done", ...size, settings, createdAt: isoTime(first.row.createdAt) };
}

const NO_FIGURES = { hitRate: null, mrr: null, ndcg: null };

export function readResults(orgId: string, settings: readonly string[]): Map<string, CheckedQuestion[]> {
  return new Map(
    listRunResults(db(), orgId, settings).map(({ id, results }) => [
      id,
      CheckedQuestion.array().catch([]).parse(results),
    ]),
  );
}

function findRunning(actor: Actor): CheckRun | undefined {
  authorise(actor, "documents.search");
  const { orgId } = actor;
  const tracked = checks().get(orgId);
  if (tracked) return toRunning(tracked);
  const requested = findRequestedCheck(db(), orgId);
  // A running check is tracked until just before its job ends.
  return requested && !requested.isRunning ? toRequested(requested) : undefined;
}

export function listRuns(actor: Actor, limit: number): CheckRun[] {
  const running = findRunning(actor);
  const ids = listRunIds(db(), actor.orgId, limit);
  const rows = ids.length > 0 ? listRunRows(db(), actor.orgId, ids) : [];
  const stored = ids.flatMap((id) => {
    const own = rows.filter((row) => (row.setting as { run?: unknown }).run === id);
    return toRun(id, own) ?? [];
  });
  return (running ? [running, ...stored] : stored).slice(0, limit);
}

export function readRun(actor: Actor, id: string): CheckRunDetail {
  const running = findRunning(actor);
  if (running?.id === id) return { ...running, results: {} };
  const run = toRun(id, listRunRows(db(), actor.orgId, [id]));
  if (!run) throw new AppError("not_found", "Check not found. Only the newest checks are kept.");
  const ids = run.settings.map((setting) => setting.id);
  return { ...run, results: Object.fromEntries(readResults(actor.orgId, ids)) };
}

function sizeOf(orgId: string, index: IndexRow) {
  const questions = listCheckQuestions(orgId);
  const judged = questions.filter(({ passages }) => passages.length > 0).length;
  return { questions: questions.length, judged, total: judged * modesOf(index).length };
}

export async function runRequestedCheck(
  actor: Actor,
  run: string,
  signal: AbortSignal,
  search: SearchOnce,
): Promise<void> {
  const index = requireIndex(actor.orgId);
  await runTrackedCheck(actor, { run, index, search, signal });
}

function requireIndex(orgId: string): IndexRow {
  const index = activeIndex(orgId);
  if (!index) throw new AppError("conflict", "There is no index yet. Add a document first.");
  return index;
}

/**
 * Starts a check of the active index. `listRuns` shows the progress.
 * @throws AppError `conflict` while a check runs, and without questions or documents to check
 */
export function startCheck(actor: Actor): CheckRun {
  authorise(actor, "documents.write");
  const { orgId } = actor;
  if (findRunning(actor) || findRequestedCheck(db(), orgId))
    throw new AppError("conflict", "A check is already running. Wait for it to finish or stop it.");
  if (countQuestionRows(db(), orgId) === 0) {
    throw new AppError("conflict", "There are no questions yet. Add one first.");
  }
  const request = { run: newId("rck"), ...sizeOf(orgId, requireIndex(orgId)) };
  transaction((tx) => {
    enqueue(tx, requestedCheck, request, { actor, dedupeKey: orgId });
    append(tx, actor, {
      action: "retrieval_check.started",
      resource: `retrieval-check:${request.run}`,
    });
  });
  publishCheckProgress(orgId);
  return toRequested({ input: request, createdAt: now() });
}

export async function stopCheck(actor: Actor): Promise<void> {
  authorise(actor, "documents.write");
  const { orgId } = actor;
  const requested = transaction((tx) => {
    const requested = findRequestedCheck(tx, orgId);
    if (!requested || !cancelJobWithin(tx, requested.id)) return undefined;
    append(tx, actor, {
      action: "retrieval_check.stopped",
      resource: `retrieval-check:${requested.input.run}`,
    });
    return requested;
  });
  if (!requested) return;
  abortJob(requested.id);
  const tracked = checks().get(orgId);
  if (tracked?.run === requested.input.run) await tracked.finished;
  else publishCheckProgress(orgId);
}
