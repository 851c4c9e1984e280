import { generateText, type TextOutcome } from "~/ai/models/generate-text.service.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError, type ErrorCode } from "~/core/errors";
import { clip } from "~/core/well-formed";
import type { JobContext } from "~/platform/jobs/job-kind.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { formatCost } from "~/ui/format";
import { filledLength, fillPrompt, variablesOf } from "~/work/prompts/prompt-variables.shared";
import { SearchInput } from "~/work/search/search.schema";
import { searchDocuments } from "~/work/search/search.service.server";
import {
  costOfRun,
  countItems,
  findResult,
  findRun,
  findSetRow,
  type ItemRow,
  insertResult,
  listItems,
  listJudged,
  type ResultRow,
  type RunRow,
  updateResult,
} from "./evaluations.repo.server";
import { Expects, Instructions, Subject } from "./evaluations.schema";
import { publishEvaluations } from "./evaluations.service.server";
import { findProblems, type Judged, judgeByRubric } from "./judge.server";

/** Calls at a time: providers limit rates, and the machine is shared with users. */
const CONCURRENCY = 2;
/** Of an answer, and of a filled prompt, in characters. */
const MAX_ANSWER = 20_000;
const MAX_PROMPT = 100_000;
const TIMEOUT = 120_000;
const PAGE = 20;
/** Errors one after another that end a run: the provider is away, and each call may cost. */
const MAX_ERRORS_IN_ROW = 10;

/** What the next call would meet, too. */
const ENDING: ReadonlySet<ErrorCode> = new Set(["budget_exceeded", "forbidden", "disk_full"]);

interface Cell {
  run: RunRow;
  item: ItemRow;
  subject: number;
  asked: Subject;
  instructions: Instructions;
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

function promptOf({ item, instructions: { template } }: Cell, passages: Passages): string {
  const { question } = item;
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

const endsRun = (error: unknown) => !(error instanceof AppError) || ENDING.has(error.code);

/** Runs until it is stored; an error of this question alone is its result. */
async function settle(signal: AbortSignal, work: () => Promise<void>, store: (reason: string) => void) {
  try {
    await work();
  } catch (error) {
    if (signal.aborted || endsRun(error)) throw error;
    store(error instanceof Error ? error.message : "");
  }
}

async function ask(actor: Actor, cell: Cell, signal: AbortSignal): Promise<void> {
  const { run, item, subject, asked, instructions } = cell;
  const { documentId } = Expects.parse(item.expects);
  const key = { runId: run.id, position: item.position, subject };
  const insert = (tx: Db, result: Pick<ResultRow, "answer" | "outcome" | "reasons"> & Partial<ResultRow>) => {
    // A deleted run keeps nothing.
    if (findRun(tx, run.id))
      insertResult(tx, { costMicros: null, durationMs: 0, cited: [], createdAt: now(), ...key, ...result });
  };
  const work = async () => {
    const passages = documentId === undefined ? [] : await findPassages(actor.orgId, item.question, signal);
    const store = (tx: Db, { text, failure, costMicros, durationMs }: TextOutcome) => {
      if (failure) return;
      const answer = clip(text, MAX_ANSWER);
      const cited = citedIn(answer, passages);
      const duration = Math.round(durationMs);
      insert(tx, { answer, cited, outcome: null, reasons: [], costMicros, durationMs: duration });
    };
    await generateText(actor, {
      model: asked.model,
      system: instructions.system,
      prompt: promptOf(cell, passages),
      effort: instructions.effort,
      personaId: asked.personaId,
      maxLength: MAX_ANSWER,
      signal,
      timeout: {
        ms: TIMEOUT,
        timeoutError: () => new AppError("provider_timeout", "The model took longer than 120 s."),
      },
      source: "evaluation",
      store,
    });
  };
  await settle(signal, work, (reason) =>
    transaction((tx) => insert(tx, { answer: null, outcome: "error", reasons: [reason] })),
  );
}

async function judge(actor: Actor, { run, item }: Cell, row: ResultRow, signal: AbortSignal): Promise<void> {
  const expects = Expects.parse(item.expects);
  const answered = { question: item.question, expects, answer: row.answer ?? "", cited: row.cited };
  const problems = await findProblems(answered);
  const save = (tx: Db, { outcome, reasons }: Judged, costMicros = row.costMicros) =>
    updateResult(tx, row, { outcome, reasons, costMicros });
  if (problems.length > 0 || expects.rubric === undefined || run.judge === null) {
    const outcome = problems.length > 0 ? "failed" : "passed";
    return transaction((tx) => save(tx, { outcome, reasons: problems }));
  }
  assertBelowLimit(run);
  const by = run.judge;
  const work = () =>
    judgeByRubric(actor, answered, by, signal, (tx, judged, { costMicros }) =>
      save(tx, judged, costMicros === null || row.costMicros === null ? null : row.costMicros + costMicros),
    );
  await settle(signal, work, (reason) =>
    transaction((tx) => save(tx, { outcome: "error", reasons: [`Not judged: ${reason}`] })),
  );
}

/** Cells without an outcome. */
function* openCells(run: RunRow): Generator<Cell> {
  const judged = new Set(listJudged(db(), run.id).map(({ position, subject }) => `${position}.${subject}`));
  const subjects = Subject.array().parse(run.subjects);
  const instructions = Instructions.array().parse(run.instructions);
  let last = -1;
  for (;;) {
    const items = listItems(db(), run.id, last, PAGE);
    for (const item of items)
      for (const [subject, asked] of subjects.entries())
        if (!judged.has(`${item.position}.${subject}`))
          yield { run, item, subject, asked, instructions: instructions[subject] ?? {} };
    if (items.length < PAGE) return;
    last = items.at(-1)?.position ?? last;
  }
}

function assertBelowLimit({ id, limitMicros }: RunRow): void {
  if (limitMicros === null) return;
  const cost = costOfRun(db(), id);
  const limit = formatCost(limitMicros);
  if (cost === null)
    throw new AppError(
      "budget_exceeded",
      `The cost of an answer is unknown, so the limit of ${limit} can't hold.`,
    );
  if (cost >= limitMicros)
    throw new AppError("budget_exceeded", `The run has reached its limit of ${limit}.`);
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
  let done = listJudged(db(), run.id).length;
  let errorsInRow = 0;
  let failure: { error: unknown } | undefined;
  const cells = openCells(run);
  const settleCell = async (cell: Cell) => {
    const { item, subject } = cell;
    const find = () => findResult(db(), run.id, item.position, subject);
    if (!find()) {
      assertBelowLimit(run);
      await ask(actorOf(context, run), cell, signal);
    }
    const row = find();
    if (row?.outcome === null) await judge(actorOf(context, run), cell, row, signal);
    const result = find();
    done += 1;
    errorsInRow = result?.outcome === "error" ? errorsInRow + 1 : 0;
    context.saveCheckpoint({ done }, { mayBeLost: true });
    context.progress({ done, total });
    publishEvaluations(context.orgId ?? "");
    if (errorsInRow >= MAX_ERRORS_IN_ROW)
      throw new AppError(
        "unavailable",
        `${errorsInRow} errors in a row. The last one: ${result?.reasons[0]}`,
      );
  };
  const worker = async () => {
    for (const cell of { [Symbol.iterator]: () => ({ next: () => cells.next() }) }) {
      if (failure) return;
      try {
        signal.throwIfAborted();
        await settleCell(cell);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  if (failure) throw failure.error;
}
