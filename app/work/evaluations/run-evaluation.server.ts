import { setTimeout as delay } from "node:timers/promises";
import { generateText, type TextOutcome } from "~/ai/models/generate-text.service.server";
import type { Actor } from "~/core/actor";
import { forEachConcurrently } from "~/core/background.server";
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
  type Cell,
  changeResult,
  countItems,
  findOpenCell,
  findResult,
  findRun,
  findSetRow,
  insertCells,
  type ResultRow,
  type RunRow,
  sumResults,
  updateRun,
} from "./evaluations.repo.server";
import { Expects, type Figures, Instructions, Subject } from "./evaluations.schema";
import { findProblems, MAX_VERDICT, RULES, readVerdict } from "./judge.server";

/** Calls at a time: providers limit rates, and the machine is shared with users. */
const CONCURRENCY = 2;
/** Of an answer, and of a filled prompt, in characters. */
const MAX_ANSWER = 20_000;
const MAX_PROMPT = 100_000;
const TIMEOUT = 120_000;
const JUDGE_TIMEOUT = 60_000;
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

/** What the last calls of a stopped run cost is added to its figures. */
function keep(tx: Db, result: ResultRow, change: Partial<ResultRow>, costMicros: number | null = 0): void {
  changeResult(tx, result, change, costMicros);
  const run = findRun(tx, result.runId);
  if (run && run.endedAt !== null) updateRun(tx, run.id, { figures: sumResults(tx, run) });
}

/** Works for a cell; an error of this cell alone is its result, another one ends the run. */
async function settle(result: ResultRow, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError) || ENDING.has(error.code)) throw error;
    const reason = result.answer === null ? error.message : `Not judged: ${error.message}`;
    transaction((tx) => keep(tx, result, { outcome: "error", reasons: [reason] }));
  }
}

type Request = Parameters<typeof generateText>[1];
type Call = Omit<Request, "signal" | "timeout" | "source" | "store"> & { timeoutMs: number };

/**
 * Asks a model; its cost is kept in the usage's transaction, also that of a call that failed or was aborted.
 * @param read makes changes of the result of its text
 */
async function callModel(
  actor: Actor,
  result: ResultRow,
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
      if (outcome.failure) keep(tx, result, {}, outcome.costMicros ?? 0);
      else keep(tx, result, read(outcome), outcome.costMicros);
    },
  });
  await asked.catch((error: unknown) => {
    throw pausedMs !== undefined && error instanceof AppError ? new Paused(pausedMs, error) : error;
  });
}

async function ask(actor: Actor, run: RunRow, { item, result }: Cell, signal: AbortSignal): Promise<void> {
  const { model, personaId } = Subject.parse(run.subjects[result.subject]);
  const { system, template, effort } = Instructions.parse(run.instructions[result.subject]);
  const { documentId } = Expects.parse(item.expects);
  await settle(result, signal, async () => {
    const passages = documentId === undefined ? [] : await findPassages(actor.orgId, item.question, signal);
    const prompt = promptOf(item.question, template, passages);
    const call = { model, system, effort, personaId, prompt, maxLength: MAX_ANSWER, timeoutMs: TIMEOUT };
    await callModel(actor, result, call, signal, ({ text, durationMs }) => {
      const answer = clip(text, MAX_ANSWER);
      return { answer, cited: citedIn(answer, passages), durationMs: Math.round(durationMs) };
    });
  });
}

async function judge(actor: Actor, run: RunRow, { item, result }: Cell, signal: AbortSignal): Promise<void> {
  const { answer, cited } = result;
  if (answer === null) return;
  const { judge: model } = run;
  const expects = Expects.parse(item.expects);
  const { rubric } = expects;
  await settle(result, signal, async () => {
    const reasons = await findProblems({ expects, answer, cited }, signal);
    if (reasons.length > 0 || rubric === undefined || model === null) {
      const outcome = reasons.length > 0 ? "failed" : "passed";
      return transaction((tx) => keep(tx, result, { outcome, reasons }));
    }
    assertBelowLimit(run);
    const prompt = JSON.stringify({ rubric, question: item.question, answer });
    const call = { model, system: RULES, prompt, maxLength: MAX_VERDICT, timeoutMs: JUDGE_TIMEOUT };
    await callModel(actor, result, call, signal, ({ text }) => readVerdict(model, text));
  });
}

function* openCells(run: string): Generator<Cell> {
  for (let cell = findOpenCell(db(), run); cell; cell = findOpenCell(db(), run, cell.result)) yield cell;
}

/** Answers that have an outcome. */
export const countJudged = (figures: readonly Figures[]): number =>
  figures.reduce((sum, { passed, failed, errors }) => sum + passed + failed + errors, 0);

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
  transaction((tx) => insertCells(tx, run.id));
  const total = countItems(db(), run.id) * run.subjects.length;
  let done = countJudged(sumResults(db(), run));
  let errorsInRow = 0;
  const settleCell = async (cell: Cell) => {
    const { position, subject } = cell.result;
    const read = () => findResult(db(), run.id, position, subject) ?? cell.result;
    if (read().answer === null) {
      assertBelowLimit(run);
      await ask(actorOf(context, run), run, cell, signal);
    }
    const asked = read();
    if (asked.outcome === null) await judge(actorOf(context, run), run, { ...cell, result: asked }, signal);
    const { outcome, reasons } = read();
    done += 1;
    errorsInRow = outcome === "error" ? errorsInRow + 1 : 0;
    context.saveCheckpoint({ done }, { mayBeLost: true });
    context.progress({ done, total });
    publish({ topic: "evaluations", orgId: context.orgId ?? "" });
    if (errorsInRow >= MAX_ERRORS_IN_ROW)
      throw new AppError("unavailable", `${errorsInRow} errors in a row. The last one: ${reasons[0]}`);
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
  await forEachConcurrently(openCells(run.id), CONCURRENCY, settleOncePossible, signal);
}
