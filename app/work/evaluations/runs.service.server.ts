import { listModels, newChatModel } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { CSV_TYPE, csvHead, toCsvRow } from "~/core/csv";
import { type Db, db } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { dayLabels } from "~/core/time-zone";
import { append } from "~/platform/audit/audit.service.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { orgTimeZone } from "~/platform/settings/settings.service.server";
import { SERIES_COLORS } from "~/ui/chart.shared";
import { layOutChart } from "~/ui/chart-layout.server";
import { formatCost } from "~/ui/format";
import { personaPrompt, readPersona } from "~/work/personas/personas.service.server";
import { readPrompt } from "~/work/prompts/prompts.service.server";
import { discardRuns, evaluationRun, isOpen, stopWithin } from "./evaluations.jobs.server";
import {
  countItems,
  findRun,
  insertItem,
  insertRun,
  type ListedRunRow,
  listItems,
  listQuestionRows,
  listResults,
  listRunRows,
  reopenErrors,
  type SetRow,
  sumResults,
  updateRun,
} from "./evaluations.repo.server";
import {
  Figures,
  type Instructions,
  type ResultRow,
  type ResumeInput,
  type Run,
  type RunInput,
  Subject,
} from "./evaluations.schema";
import { change, mayEdit, refuse, requireSet } from "./evaluations.service.server";
import { countJudged, spentBy } from "./run-evaluation.server";

/** Per set. */
const KEPT_RUNS = 20;

const toMicros = (dollars: number) => Math.max(1, Math.round(dollars * 1_000_000));

/** Takes over how a subject is asked now. */
function planSubject(actor: Actor, { model, personaId, promptId }: RunInput["subjects"][number], at: number) {
  const field = (name: string) => `subjects[${at}].${name}`;
  const persona = personaId === undefined ? undefined : readPersona(actor, personaId);
  const prompt = promptId === undefined ? undefined : readPrompt(actor, promptId);
  if (prompt && prompt.variables.length > 1)
    refuse(
      field("promptId"),
      `"${prompt.name}" has ${prompt.variables.length} variables: a question fills one`,
    );
  const models = listModels(actor);
  const id = model ?? persona?.defaultModel ?? newChatModel(actor, models);
  const found = models.find((one) => one.id === id);
  if (!found) refuse(field("model"), `The model "${id}" is not available`);
  const instructions: Instructions = {
    system: persona && personaPrompt(persona),
    template: prompt?.text,
    effort: persona?.reasoningEffort,
  };
  const label = [found.name, persona?.name, prompt?.name].filter(Boolean).join(" · ");
  return { subject: { label, model: id, personaId, promptId }, instructions };
}

/**
 * Starts a run over the questions as they are now. It goes on in the background, for the actor and from their budgets.
 * @throws AppError `not_found`, `invalid`; `conflict` while another run of the set goes on, or without questions
 */
export function startRun(actor: Actor, setId: string, input: RunInput): Run {
  authorise(actor, "chat.use");
  const plans = input.subjects.map((subject, at) => planSubject(actor, subject, at));
  if (input.judge !== undefined && !listModels(actor).some(({ id }) => id === input.judge))
    refuse("judge", `The model "${input.judge}" is not available`);
  return change(actor, (tx) => {
    const set = requireSet(tx, actor, setId);
    const questions = listQuestionRows(tx, setId);
    if (questions.length === 0) throw new AppError("conflict", "Add a question first.");
    if (input.judge === undefined && questions.some(({ expects }) => expects.rubric !== undefined))
      refuse("judge", "Choose a model that judges by the rubrics");
    assertNoneRuns(tx, setId);
    const { judge = null, limit } = input;
    const row = {
      id: newId("evr"),
      setId,
      state: "queued" as const,
      error: null,
      subjects: plans.map(({ subject }) => subject),
      instructions: plans.map(({ instructions }) => ({ ...instructions })),
      judge,
      limitMicros: limit === undefined ? null : toMicros(limit),
      figures: null,
      createdBy: actor.userId,
      createdAt: now(),
      endedAt: null,
    };
    insertRun(tx, row);
    for (const [position, { question, expects }] of questions.entries())
      insertItem(tx, { runId: row.id, position, question, expects });
    enqueueRun(tx, actor, row.id);
    append(tx, actor, {
      action: "evaluation_run.started",
      resource: `evaluation:${setId}`,
      details: { name: set.name, subjects: plans.length, questions: questions.length },
    });
    discardRuns(tx, actor.orgId, listRunRows(tx, setId).slice(KEPT_RUNS));
    return toRun(tx, actor, set, row);
  });
}

const enqueueRun = (tx: Db, actor: Actor, run: string) =>
  enqueue(tx, evaluationRun, { run }, { actor, dedupeKey: run, subject: `evaluation-run:${run}` });

function assertNoneRuns(tx: Db, setId: string): void {
  if (listRunRows(tx, setId).some(({ state }) => isOpen(state)))
    throw new AppError("conflict", "A run goes on. Wait for its end, or stop it.");
}

/** Who started it, and who may edit the set. */
const mayChange = (actor: Actor, set: SetRow, { createdBy }: ListedRunRow) =>
  may(actor, "evaluations.write") && (createdBy === actor.userId || mayEdit(actor, set));

function toRun(tx: Db, actor: Actor, set: SetRow, row: ListedRunRow): Run {
  const { id, setId, state, error, judge, limitMicros, createdAt, endedAt } = row;
  const subjects = Subject.array().parse(row.subjects);
  const figures = row.figures ? Figures.array().parse(row.figures) : sumResults(tx, row);
  return {
    id,
    setId,
    state,
    error,
    subjects,
    figures,
    done: countJudged(figures),
    total: countItems(tx, id) * subjects.length,
    judge,
    limitMicros,
    canChange: mayChange(actor, set, row),
    createdAt: isoTime(createdAt),
    endedAt: endedAt === null ? null : isoTime(endedAt),
  };
}

/** Newest first. @throws AppError `not_found` */
export function listRuns(actor: Actor, setId: string): Run[] {
  authorise(actor, "screens.read");
  const set = requireSet(db(), actor, setId);
  return listRunRows(db(), setId).map((row) => toRun(db(), actor, set, row));
}

function requireRun(tx: Db, actor: Actor, id: string): { set: SetRow; row: ListedRunRow } {
  const row = findRun(tx, id);
  if (!row) throw new AppError("not_found", "Run not found. It may have been deleted.");
  return { set: requireSet(tx, actor, row.setId), row };
}

/** @throws AppError `not_found` */
export function readRun(actor: Actor, id: string): Run {
  authorise(actor, "screens.read");
  const { set, row } = requireRun(db(), actor, id);
  return toRun(db(), actor, set, row);
}

/** Answers of each subject, question by question. @param after position of the previous page's last question, or -1 */
export function pageResults(actor: Actor, id: string, after: number, limit: number): ResultRow[] {
  authorise(actor, "screens.read");
  const { row } = requireRun(db(), actor, id);
  const items = listItems(db(), id, after, limit);
  const positions = items.map(({ position }) => position);
  const results = listResults(db(), id, positions);
  return items.map(({ position, question }) => ({
    position,
    question,
    results: row.subjects.map((_, subject) => {
      const found = results.find((one) => one.position === position && one.subject === subject);
      // A call that was cut off left its cost alone.
      if (!found || (found.outcome === null && found.answer === null)) return null;
      const { outcome, answer, reasons, costMicros, durationMs } = found;
      return { outcome, answer, reasons, costMicros, durationMs };
    }),
  }));
}

/** Changes a run, with its audit entry unless there is nothing to do: false. @throws AppError `not_found`, `forbidden` */
const changeRun = <T>(
  actor: Actor,
  id: string,
  action: "evaluation_run.stopped" | "evaluation_run.resumed" | "evaluation_run.deleted",
  work: (tx: Db, set: SetRow, row: ListedRunRow) => T,
): T =>
  change(actor, (tx) => {
    const { set, row } = requireRun(tx, actor, id);
    if (!mayChange(actor, set, row))
      throw new AppError("forbidden", "Only who started the run, or the evaluation's author, can change it.");
    const result = work(tx, set, row);
    if (result !== false)
      append(tx, actor, { action, resource: `evaluation:${set.id}`, details: { name: set.name } });
    return result;
  });

/** Keeps what is answered; calls that are on their way end at the provider. @throws AppError `not_found`, `forbidden` */
export function stopRun(actor: Actor, id: string): void {
  const abort = changeRun(actor, id, "evaluation_run.stopped", (tx) => stopWithin(tx, id) ?? false);
  if (abort) abort();
}

function assertAbove(spent: number | null, limitMicros: number): void {
  if (spent === null)
    refuse("limit", "The cost of an answer is unknown, so no limit can hold. Resume without one.");
  if (spent >= limitMicros)
    refuse("limit", `The run has cost ${formatCost(spent)} already. Enter more, or no limit`);
}

/**
 * Asks what a stopped or failed run lacks, and what ended with an error, from the actor's budgets.
 * @param limit replaces the run's, in US dollars; null takes it away
 * @throws AppError `not_found`, `forbidden`; `conflict` while a run of the set goes on, or if it lacks nothing; `invalid`
 * for a limit that would end it at once
 */
export function resumeRun(actor: Actor, id: string, { limit }: ResumeInput = {}): void {
  authorise(actor, "chat.use");
  changeRun(actor, id, "evaluation_run.resumed", (tx, set, row) => {
    assertNoneRuns(tx, set.id);
    const { done, total, figures } = toRun(tx, actor, set, row);
    if (done === total && figures.every(({ errors }) => errors === 0))
      throw new AppError("conflict", "This run has all its answers.");
    const given = limit == null ? null : toMicros(limit);
    const limitMicros = limit === undefined ? row.limitMicros : given;
    if (limitMicros !== null) assertAbove(spentBy(tx, row), limitMicros);
    reopenErrors(tx, id);
    updateRun(tx, id, { state: "queued", error: null, figures: null, endedAt: null, limitMicros });
    enqueueRun(tx, actor, id);
  });
}

/** @throws AppError `not_found`, `forbidden` */
export const deleteRun = (actor: Actor, id: string): void =>
  changeRun(actor, id, "evaluation_run.deleted", (tx) => discardRuns(tx, actor.orgId, [{ id }]))();

const CSV_COLUMNS = "question,subject,model,outcome,reasons,answer,cost_usd,duration_ms".split(",");

async function* toCsv(actor: Actor, { id, subjects }: Run): AsyncGenerator<string> {
  yield csvHead(CSV_COLUMNS);
  for (let after = -1; ; ) {
    const rows = pageResults(actor, id, after, 10);
    const last = rows.at(-1);
    if (!last) return;
    after = last.position;
    const lines = rows.flatMap(({ question, results }) =>
      subjects.map(({ label, model }, at) => {
        const { outcome, reasons, answer, costMicros, durationMs } = results[at] ?? {};
        const cost = costMicros == null ? null : (costMicros / 1_000_000).toFixed(6);
        const time = answer == null ? null : durationMs;
        return toCsvRow([question, label, model, outcome, reasons?.join("; "), answer, cost, time]);
      }),
    );
    yield lines.join("");
  }
}

/** CSV with a row for each question and subject. @throws AppError `not_found` */
export function exportRun(actor: Actor, id: string) {
  const run = readRun(actor, id);
  return { name: `evaluation-${run.createdAt.slice(0, 10)}.csv`, type: CSV_TYPE, pieces: toCsv(actor, run) };
}

/** Share of passed answers by subject over the runs that have ended; undefined for fewer than two. */
export function drawHistory({ orgId }: Actor, runs: readonly Run[]) {
  // What was stopped on the way would stand beside whole runs as if it were one.
  const ended = runs.filter(({ endedAt, done, total }) => endedAt !== null && done === total).toReversed();
  if (ended.length < 2) return undefined;
  const times = ended.map(({ createdAt }) => createdAt);
  const days = dayLabels(times, orgTimeZone(orgId));
  const labels = [...new Set(ended.flatMap(({ subjects }) => subjects.map(({ label }) => label)))];
  const shown = labels.slice(-SERIES_COLORS);
  const shareOf = (figures: readonly Figures[]) => {
    const answers = countJudged(figures);
    const passed = figures.reduce((sum, one) => sum + one.passed, 0);
    return answers === 0 ? null : Math.round((passed / answers) * 100);
  };
  return layOutChart({
    unit: "percent",
    kind: "lines",
    height: 180,
    series: shown.map((name, color) => ({ name, color })),
    points: ended.map(({ id, subjects, figures }, index) => ({
      at: id,
      label: days[index] ?? "",
      total: shareOf(figures),
      values: shown.map((name) => shareOf(figures.filter((_, at) => subjects[at]?.label === name))),
      to: `/evaluations/runs/${id}`,
    })),
  });
}
