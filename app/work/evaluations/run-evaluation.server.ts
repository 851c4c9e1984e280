import { setTimeout as delay } from "node:timers/promises";
import { generateText, type TextOutcome } from "~/ai/models/generate-text.service.server";
import type { Actor } from "~/core/actor";
import { forEachConcurrently } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { MINUTE } from "~/core/durations";
import { AppError, type ErrorCode } from "~/core/errors";
import { clip } from "~/core/well-formed";
import { publish } from "~/platform/events/events.service.server";
import type { JobContext } from "~/platform/jobs/job-kind.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { formatCost } from "~/ui/format";
import { filledLength, fillPrompt, variablesOf } from "~/work/prompts/prompt-variables.shared";
import { SearchInput } from "~/work/search/search.schema";
import { searchDocuments } from "~/work/search/search.service.server";
import {
  countItems,
  findResult,
  findRun,
  findSetRow,
  type ItemRow,
  listItems,
  listResults,
  putResult,
  type ResultRow,
  type RunRow,
  sumResults,
  updateRun,
} from "./evaluations.repo.server";
import { Expects, Instructions, Subject } from "./evaluations.schema";
import { findProblems, MAX_VERDICT, RULES, readVerdict } from "./judge.server";

/** Calls at a time: providers limit rates, and the machine is shared with users. */
const CONCURRENCY = 2;
/** Of an answer, and of a filled prompt, in characters. */
const MAX_ANSWER = 20_000;
const MAX_PROMPT = 100_000;
const TIMEOUT = 120_000;
const JUDGE_TIMEOUT = 60_000;
const PAGE = 10;
/** Errors one after another that end a run: the provider is away, and each call may cost. */
const MAX_ERRORS_IN_ROW = 10;
/** How long a run waits for paused providers without any call, in ms. */
const MAX_PAUSE = 15 * MINUTE;
/** While another call probes a provider, its pause is named by a moment. In ms. */
const MIN_PAUSE = 1000;

/** What the next call would meet, too. */
const ENDING: ReadonlySet<ErrorCode> = new Set(["budget_exceeded", "forbidden", "disk_full"]);

/** A call that wasn't made, since its providers are paused. */
class Paused extends Error {
  constructor(
    readonly ms: number,
    override readonly cause: AppError,
  ) {
    super("The providers are paused");
  }
}

/** A question that a subject answers. */
interface Cell {
  run: RunRow;
  item: ItemRow;
  subject: number;
}

/** Passages for a question that expects a citation, from documents that everyone can see. */
async function findPassages(orgId: string, question: string, signal: AbortSignal) {
  const everyone: Actor = { kind: "system", userId: "system", orgId, role: "viewer" };
  const query = SearchInput.parse({ query: clip(question, 2000) });
  return (await searchDocuments(everyone, query, signal)).results;
}

type Passages = Awaited<ReturnType<typeof findPassages>>;

const CITE =
  "Answer from the passages alone and name their numbers, such as [1]. If they don't answer the question, say so.";

function promptOf(question: string, template: string | undefined, passages: Passages): string {
  const [variable] = template === undefined ? [] : variablesOf(template);
  const values = new Map(variable ? [[variable.name, question]] : []);
  if (template !== undefined && filledLength(template, values) > MAX_PROMPT)
    throw new AppError("invalid", "With this question the prompt is too long.");
  const filled = template === undefined ? question : fillPrompt(template, values);
  const asked = template === undefined || variable ? filled : `${filled}\n\n${question}`;
  if (passages.length === 0) return asked;
  const quoted = passages.map(({ content, metadata }, at) => `[${at + 1}] ${metadata.title}\n${content}`);
  return [...quoted, CITE, asked].join("\n\n");
}

const MARK = /\[(\d{1,2}(?:, ?\d{1,2}){0,9})\]/g;

/** Documents whose passages an answer names by their numbers. */
function citedIn(answer: string, passages: Passages): string[] {
  const numbers = [...answer.matchAll(MARK)].flatMap(([, list = ""]) => list.split(",").map(Number));
  return [...new Set(numbers.flatMap((number) => passages[number - 1]?.metadata.documentId ?? []))];
}

/** A deleted run keeps nothing; what the last calls of a stopped one cost is added to its figures. */
function keep(tx: Db, row: ResultRow): void {
  const run = findRun(tx, row.runId);
  if (!run) return;
  putResult(tx, row);
  if (run.endedAt !== null) updateRun(tx, run.id, { figures: sumResults(tx, run) });
}

const storedOf = (tx: Db, row: ResultRow) => findResult(tx, row.runId, row.position, row.subject) ?? row;

/** Works for a cell; an error of this cell alone is its result, another one ends the run. */
async function settle(row: ResultRow, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError) || ENDING.has(error.code)) throw error;
    const reason = row.answer === null ? error.message : `Not judged: ${error.message}`;
    transaction((tx) =>
      keep(tx, { ...storedOf(tx, row), outcome: "error", reasons: [reason], costMicros: 0 }),
    );
  }
}

type Request = Parameters<typeof generateText>[1];
type Call = Omit<Request, "signal" | "timeout" | "source" | "store"> & { timeoutMs: number };

/**
 * Asks a model; its cost is kept in the usage's transaction, also that of a call that failed or was aborted.
 * @param read makes the result of its text
 */
async function callModel(
  actor: Actor,
  row: ResultRow,
  { timeoutMs, ...call }: Call,
  signal: AbortSignal,
  read: (outcome: TextOutcome) => Partial<ResultRow>,
): Promise<void> {
  let pausedMs: number | undefined;
  const asked = generateText(actor, {
    ...call,
    signal,
    timeout: {
      ms: timeoutMs,
      timeoutError: () =>
        new AppError("provider_timeout", `${call.model} took longer than ${timeoutMs / 1000} s.`),
    },
    source: "evaluation",
    store(tx, outcome) {
      pausedMs = outcome.pausedMs;
      if (pausedMs !== undefined) return;
      // A refused call counts nothing and has no cost.
      if (outcome.failure) keep(tx, { ...storedOf(tx, row), costMicros: outcome.costMicros ?? 0 });
      else keep(tx, { ...row, ...read(outcome), costMicros: outcome.costMicros });
    },
  });
  await asked.catch((error: unknown) => {
    throw pausedMs !== undefined && error instanceof AppError ? new Paused(pausedMs, error) : error;
  });
}

async function ask(actor: Actor, { run, item, subject }: Cell, signal: AbortSignal): Promise<void> {
  const { model, personaId } = Subject.parse(run.subjects[subject]);
  const { system, template, effort } = Instructions.parse(run.instructions[subject]);
  const { documentId } = Expects.parse(item.expects);
  const row: ResultRow = {
    runId: run.id,
    position: item.position,
    subject,
    outcome: null,
    answer: null,
    reasons: [],
    cited: [],
    costMicros: 0,
    durationMs: 0,
    createdAt: now(),
  };
  await settle(row, signal, async () => {
    const passages = documentId === undefined ? [] : await findPassages(actor.orgId, item.question, signal);
    const prompt = promptOf(item.question, template, passages);
    const call = { model, system, effort, personaId, prompt, maxLength: MAX_ANSWER, timeoutMs: TIMEOUT };
    await callModel(actor, row, call, signal, ({ text, durationMs }) => {
      const answer = clip(text, MAX_ANSWER);
      return { answer, cited: citedIn(answer, passages), durationMs: Math.round(durationMs) };
    });
  });
}

async function judge(
  actor: Actor,
  { run, item }: Cell,
  row: ResultRow & { answer: string },
  signal: AbortSignal,
): Promise<void> {
  const { question } = item;
  const { answer, cited } = row;
  const { judge: model } = run;
  const expects = Expects.parse(item.expects);
  const { rubric } = expects;
  await settle(row, signal, async () => {
    const problems = await findProblems({ expects, answer, cited }, signal);
    if (problems.length > 0 || rubric === undefined || model === null) {
      const outcome = problems.length > 0 ? "failed" : "passed";
      return transaction((tx) => keep(tx, { ...row, outcome, reasons: problems, costMicros: 0 }));
    }
    assertBelowLimit(run);
    const prompt = JSON.stringify({ rubric, question, answer });
    const call = { model, system: RULES, prompt, maxLength: MAX_VERDICT, timeoutMs: JUDGE_TIMEOUT };
    await callModel(actor, row, call, signal, ({ text }) => readVerdict(model, text));
  });
}

/** Cells without an outcome. */
function* openCells(run: RunRow): Generator<Cell> {
  for (let last = -1; ; ) {
    const items = listItems(db(), run.id, last, PAGE);
    const positions = items.map(({ position }) => position);
    const judged = listResults(db(), run.id, positions).filter(({ outcome }) => outcome !== null);
    for (const item of items)
      for (const subject of run.subjects.keys())
        if (!judged.some((one) => one.position === item.position && one.subject === subject))
          yield { run, item, subject };
    if (items.length < PAGE) return;
    last = positions.at(-1) ?? last;
  }
}

/** What the run has cost up to now, in millionths of a dollar; null if that of an answer is unknown. */
export const spentBy = (tx: Db, run: Pick<RunRow, "id" | "subjects">): number | null =>
  sumResults(tx, run).reduce<number | null>(
    (sum, { costMicros }) => (sum === null || costMicros === null ? null : sum + costMicros),
    0,
  );

function assertBelowLimit(run: RunRow): void {
  const { limitMicros } = run;
  if (limitMicros === null) return;
  const spent = spentBy(db(), run);
  const limit = formatCost(limitMicros);
  if (spent === null)
    throw new AppError(
      "budget_exceeded",
      `The cost of an answer is unknown, so the limit of ${limit} can't hold. Resume without a limit, or have an admin set the model's price and start another run.`,
    );
  if (spent >= limitMicros)
    throw new AppError(
      "budget_exceeded",
      `The run has reached its limit of ${limit}. Resume with a higher one.`,
    );
}

/** The author with the role of now. @throws AppError `forbidden`, also once they can't see the set */
function actorOf(context: JobContext<unknown>, { setId }: RunRow): Actor {
  const actor = context.actor();
  authorise(actor, "evaluations.write");
  authorise(actor, "chat.use");
  if (!findSetRow(db(), actor, setId))
    throw new AppError("forbidden", "Who started the run can't see the evaluation any more.");
  return actor;
}

/** Asks and judges what a run still lacks; what is stored isn't asked again. @throws AppError that ends the run */
export async function runEvaluation(context: JobContext<{ run: string }>): Promise<void> {
  const { input, signal } = context;
  const run = findRun(db(), input.run);
  if (!run) return;
  const total = countItems(db(), run.id) * run.subjects.length;
  let done = sumResults(db(), run).reduce((sum, one) => sum + one.passed + one.failed + one.errors, 0);
  let errorsInRow = 0;
  const settleCell = async (cell: Cell) => {
    const { item, subject } = cell;
    const find = () => findResult(db(), run.id, item.position, subject);
    // A call that was cut off left its cost alone.
    if ((find()?.answer ?? null) === null) {
      assertBelowLimit(run);
      await ask(actorOf(context, run), cell, signal);
    }
    const row = find();
    if (row?.outcome === null && row.answer !== null)
      await judge(actorOf(context, run), cell, { ...row, answer: row.answer }, signal);
    const result = find();
    done += 1;
    errorsInRow = result?.outcome === "error" ? errorsInRow + 1 : 0;
    context.saveCheckpoint({ done }, { mayBeLost: true });
    context.progress({ done, total });
    publish({ topic: "evaluations", orgId: context.orgId ?? "" });
    if (errorsInRow >= MAX_ERRORS_IN_ROW)
      throw new AppError(
        "unavailable",
        `${errorsInRow} errors in a row. The last one: ${result?.reasons[0]}`,
      );
  };
  /** When a provider was found paused, without a call since that was made. */
  let pausedSince: number | undefined;
  const settleOncePossible = async (cell: Cell, ending: AbortSignal) => {
    for (;;) {
      try {
        await settleCell(cell);
        pausedSince = undefined;
        return;
      } catch (error) {
        if (!(error instanceof Paused)) throw error;
        pausedSince ??= performance.now();
        if (performance.now() - pausedSince + error.ms > MAX_PAUSE) throw error.cause;
        await delay(Math.max(error.ms, MIN_PAUSE), undefined, { signal: ending });
      }
    }
  };
  await forEachConcurrently(openCells(run), CONCURRENCY, settleOncePossible, signal);
}
