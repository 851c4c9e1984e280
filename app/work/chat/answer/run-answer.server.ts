import type { LanguageModelV3CallOptions, LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import type { EffortChoice } from "~/ai/models/model-picker.shared";
import {
  cutOffCall,
  effortOptions,
  explainProviderError,
  isEstimated,
  newRouteRecord,
  OWN_TOOLS,
  type RouteTarget,
  takes,
} from "~/ai/models/models.service.server";
import { wireName } from "~/ai/models/wire-names.service.server";
import type { AnswerMetrics, ContextUse, StreamChunk, TrimmedContext } from "~/ai/tools/answer-stream.schema";
import { keepMadeImage } from "~/ai/tools/files/result-files.service.server";
import { Countdown } from "~/core/abort";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { reportOperation } from "~/core/telemetry.server";
import { inTrace, newSpan } from "~/core/trace-context.server";
import type { RouteRecord } from "~/platform/catalogue/models.schema";
import { findPersona } from "~/work/personas/personas.service.server";
import { approvedCalls, interruptionEvents } from "../answer-state.shared";
import { seesImages } from "../attachments/attachments.service.server";
import { ANSWER_MINUTES } from "../chat-choices.shared";
import { weighMessage } from "../context/fit-context.server";
import type { ActiveGeneration } from "./active-generation.server";
import { type BegunAnswer, GO_ON, goingOn, repeatedEvents } from "./begun-answer";
import { handedTools } from "./found-tools";
import { newStep, type StepOutcome, streamStep } from "./model-step.server";
import { answerMessages, describeTools, readResultImages } from "./prompt.server";
import { type CallPlan, runCalls, searchFirst, takeCalls, usageSourceOf } from "./tool-calls.server";

function sum(values: readonly (number | null)[]): number | null {
  let total = 0;
  for (const value of values) {
    if (value === null) return null;
    total += value;
  }
  return total;
}

type CachedTokens = Pick<AnswerMetrics, "cacheReadTokens" | "cacheWriteTokens">;

function cachedIn(
  figures: readonly { [K in keyof CachedTokens]: number | null | undefined }[],
): CachedTokens {
  const total = (key: keyof CachedTokens) => figures.reduce((tokens, one) => tokens + (one[key] ?? 0), 0);
  const [cacheReadTokens, cacheWriteTokens] = [total("cacheReadTokens"), total("cacheWriteTokens")];
  return {
    ...(cacheReadTokens > 0 && { cacheReadTokens }),
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
  };
}

/** Figures of an answer continued after approvals, without the waiting time. */
function addMetrics(before: AnswerMetrics | null | undefined, after: AnswerMetrics): AnswerMetrics {
  if (!before) return after;
  const add = (key: "inputTokens" | "outputTokens" | "costMicros" | "durationMs") =>
    sum([before[key], after[key]]);
  return {
    ...before,
    ...after,
    ...cachedIn([before, after]),
    provider: after.provider ?? before.provider,
    inputTokens: add("inputTokens"),
    outputTokens: add("outputTokens"),
    costMicros: add("costMicros"),
    firstTokenMs: before.firstTokenMs,
    durationMs: add("durationMs"),
    steps: before.steps + after.steps,
  };
}

/** Figures of a model call for the usage record. Times in ms. */
export interface ModelCall {
  inputTokens: number | null;
  outputTokens: number | null;
  /** Whether the console counted the tokens. */
  estimated: boolean;
  cacheReadTokens: number | null;
  cacheWriteTokens: number | null;
  /** That the model made; null if it made none. */
  images: number | null;
  firstTokenMs: number | null;
  durationMs: number;
  outcome: "ok" | "stopped" | "interrupted" | "error";
  errorCode: string | null;
  target: RouteTarget | undefined;
  route: RouteRecord;
}

/** What is sent of a conversation. */
interface PlannedPrompt extends Pick<CallPlan, "prompt" | "summarized"> {
  imagesLeftOut?: number;
  context?: ContextUse;
  trimmed?: TrimmedContext | undefined;
}

export interface AnswerPlan extends CallPlan, PlannedPrompt {
  /** Has older messages summarized first. */
  shorten?: (live: ActiveGeneration) => Promise<PlannedPrompt>;
  maxSteps: number;
  effort?: EffortChoice;
  before?: AnswerMetrics | null;
  /** What there is of it, where it goes on. */
  begun?: BegunAnswer;
}

/** Attempts kept in an answer's figures. */
const MAX_ATTEMPTS = 60;
/** Time limit of a turn, in ms. */
const TURN_TIMEOUT = ANSWER_MINUTES * 60_000;

function toModelCall(
  call: StepOutcome,
  started: number,
  outcome: ModelCall["outcome"],
  code: string | null,
  route: RouteRecord,
): ModelCall {
  const cut = cutOffCall(route);
  return {
    inputTokens: call.usage?.inputTokens.total ?? cut?.tokens.input ?? null,
    outputTokens: call.usage?.outputTokens.total ?? cut?.tokens.output ?? null,
    estimated: isEstimated(call.usage) || cut !== undefined,
    cacheReadTokens: call.usage?.inputTokens.cacheRead ?? null,
    cacheWriteTokens: call.usage?.inputTokens.cacheWrite ?? null,
    images: call.images || null,
    firstTokenMs: call.firstTokenMs,
    durationMs: performance.now() - started,
    outcome,
    errorCode: code,
    target: call.target ?? cut?.target,
    route,
  };
}

function routeOf(calls: readonly ModelCall[]): RouteRecord | undefined {
  const last = calls.at(-1)?.route;
  return last && { ...last, attempts: calls.flatMap(({ route }) => route.attempts).slice(-MAX_ATTEMPTS) };
}

function answeredBy(calls: readonly ModelCall[]): string | undefined {
  const last = calls.at(-1);
  return last?.target?.displayName ?? last?.route.attempts.at(-1)?.provider;
}

/** The context's use once the answer is a part of the conversation. */
function contextAfter({ context }: AnswerPlan, { state }: ActiveGeneration): Pick<AnswerMetrics, "context"> {
  if (!context) return {};
  const { turns, passages } = weighMessage(state);
  return { context: { ...context, turns: context.turns + turns, passages: context.passages + passages } };
}

interface TurnOutcome {
  calls: ModelCall[];
  finishReason: StepOutcome["finishReason"];
  limit?: StepOutcome["limit"];
  stepsExhausted: boolean;
  error?: AppError;
}

async function runSteps(
  plan: AnswerPlan,
  live: ActiveGeneration,
  onStep: (call: ModelCall) => void,
): Promise<TurnOutcome> {
  const calls: ModelCall[] = [];
  const toolNames = new Map(
    [...handedTools(plan.tools), ...plan.tools].map(({ name }) => [wireName(name), name]),
  );
  const { modelId } = plan.model;
  let tools = describeTools(handedTools(plan.tools, plan.prompt, live.state.parts));
  const countSteps = () => live.state.parts.filter(({ type }) => type === "step").length;
  const stepsBefore = countSteps();
  if (stepsBefore > 0 && !plan.begun) {
    await runCalls(approvedCalls(live.state.parts), plan, live);
    if (live.signal.aborted || stepsBefore >= plan.maxSteps) {
      return { calls, finishReason: "tool-calls", stepsExhausted: !live.signal.aborted };
    }
  }
  /** Until it has gone on. */
  let begun = plan.begun?.ending ? plan.begun : undefined;
  const askedWith = (offered: LanguageModelV3FunctionTool[]): LanguageModelV3CallOptions => {
    const images = readResultImages(live.actor, live.state.parts, () => seesImages(live.actor, modelId));
    return {
      prompt: [...plan.prompt, ...answerMessages(live.state, images), ...(begun ? [GO_ON] : [])],
      ...(offered.length > 0 ? { tools: offered } : {}),
      providerOptions: { console: { ...effortOptions(plan.effort).console, ...OWN_TOOLS } },
      abortSignal: live.signal,
    };
  };
  const keepImage = async (bytes: Buffer, number: number) => {
    // Nothing of a temporary chat is stored.
    if (plan.source === "temporary") return undefined;
    return keepMadeImage(live.actor, usageSourceOf(plan, live), `Image ${countSteps()}-${number}`, bytes);
  };
  const search = async () => {
    tools = [];
    if (stepsBefore === 0) await searchFirst(plan, live);
    live.signal.throwIfAborted();
  };
  const withoutTools = async () => {
    // The search is a step of its own.
    if (stepsBefore === 0) live.emit({ type: "finish-step" });
    await search();
    if (stepsBefore === 0) live.emit({ type: "start-step" });
    return askedWith([]);
  };
  for (;;) {
    const started = performance.now();
    const route = newRouteRecord();
    const step = newStep();
    let isCounted = false;
    try {
      if (tools.length > 0 && !takes(live.actor.orgId, modelId, "tools")) await search();
      if (!begun) live.emit({ type: "start-step" });
      const emit = (chunk: StreamChunk) => live.emit(chunk);
      await streamStep(step, {
        model: plan.model,
        call: askedWith(tools),
        toolNames,
        emit: begun ? goingOn(begun, emit) : emit,
        route,
        countSteps,
        ...(tools.length > 0 && { withoutTools }),
        keepImage,
      });
      begun = undefined;
      calls.push(toModelCall(step, started, "ok", null, route));
      isCounted = true;
      const waits = await takeCalls(step.calls, plan, live);
      live.emit({ type: "finish-step" });
      if (waits) return { calls, finishReason: step.finishReason, stepsExhausted: false };
      const wantsMore = step.calls.length > 0 && !live.signal.aborted;
      if (!wantsMore || countSteps() >= plan.maxSteps) {
        const { finishReason, limit } = step;
        return { calls, finishReason, limit, stepsExhausted: wantsMore };
      }
      const ended = calls.at(-1);
      if (ended) onStep(ended);
      // The step may have used up the answer's budget. Another one would be recorded as a stopped call.
      if (live.signal.aborted) return { calls, finishReason: "other", stepsExhausted: false };
      if (tools.length > 0) tools = describeTools(handedTools(plan.tools, plan.prompt, live.state.parts));
    } catch (error) {
      const note = (outcome: ModelCall["outcome"], code: string | null) => {
        if (!isCounted) calls.push(toModelCall(step, started, outcome, code, route));
      };
      if (live.stopReason) {
        note(live.stopReason === "interrupted" ? "interrupted" : "stopped", null);
        return { calls, finishReason: "other", stepsExhausted: false };
      }
      // Router and stream errors are AppErrors already; anything else is a bug.
      const names = { provider: "The provider", model: plan.model.modelId };
      const appError = error instanceof AppError ? error : explainProviderError(error, names);
      note("error", appError.code);
      return { calls, finishReason: "error", stepsExhausted: false, error: appError };
    }
  }
}

/** The plan as it is fits too. */
async function shortenPlan(plan: AnswerPlan, live: ActiveGeneration): Promise<AnswerPlan> {
  try {
    return { ...plan, ...(await plan.shorten?.(live)) };
  } catch (error) {
    log.error("a shortened prompt couldn't be made", { error, messageId: live.messageId });
    return plan;
  }
}

/**
 * Generates one answer: calls the model and its requested tools until it has answered, Max Steps is reached, or the
 * generation is stopped. Emits every change as an event; an error becomes an event and never escapes.
 * @param price cost of a call in millionths of a dollar, null if unknown
 * @param onStep called with each finished model call while the turn continues, to record it at once
 * @returns all model calls, for usage records, and the answer's metrics
 */
export async function runAnswer(
  given: AnswerPlan,
  live: ActiveGeneration,
  price: (call: ModelCall) => number | null,
  onStep: (call: ModelCall) => void = () => {},
): Promise<{ calls: ModelCall[]; metrics: AnswerMetrics }> {
  const started = performance.now();
  const countdown = new Countdown(TURN_TIMEOUT, () => live.stop("time-limit"));
  live.countdown = countdown;
  const { personaId } = given;
  const persona = personaId === undefined ? undefined : findPersona(live.actor, personaId);
  const messageMetadata = { model: given.model.modelId, ...(persona && { persona: persona.name }) };
  const start: StreamChunk = { type: "start", messageId: live.messageId, messageMetadata };
  live.emit(start);
  for (const chunk of given.begun ? repeatedEvents(given.begun) : []) live.emit(chunk);
  if (live.state.status === "waiting") live.emit(start);
  const isAgent = personaId !== undefined || given.tools.length > 0;
  const trace = isAgent ? newSpan() : undefined;
  const turn = async () => {
    const plan = await shortenPlan(given, live);
    return { plan, ...(await runSteps(plan, live, onStep).finally(() => countdown.end())) };
  };
  const { plan, calls, finishReason, limit, stepsExhausted, error } = await (trace
    ? inTrace(trace, turn)
    : turn());
  if (error) {
    log.warn("an answer failed", {
      messageId: live.messageId,
      provider: answeredBy(calls),
      model: plan.model.modelId,
      code: error.code,
      // A provider's words may quote the prompt.
      ...(plan.source === "temporary" ? {} : { error }),
    });
    live.emit({ type: "error", errorText: error.message });
  }
  if (live.stopReason) live.emit({ type: "abort", reason: live.stopReason });
  if (live.stopReason === "interrupted" && plan.source === "chat")
    for (const event of interruptionEvents(live.state.parts)) live.emit(event);
  const route = routeOf(calls);
  const metrics = addMetrics(plan.before, {
    provider: answeredBy(calls),
    inputTokens: sum(calls.map((call) => call.inputTokens)),
    outputTokens: sum(calls.map((call) => call.outputTokens)),
    costMicros: sum(calls.map(price)),
    firstTokenMs: calls[0]?.firstTokenMs ?? null,
    durationMs: performance.now() - started,
    steps: calls.length,
    ...cachedIn(calls),
    ...(calls.some(({ estimated }) => estimated) ? { estimated: true } : {}),
    ...(stepsExhausted ? { stepsExhausted } : {}),
    ...(finishReason === "length" ? { lengthReached: true, ...(limit && { outputLimit: limit }) } : {}),
    ...(finishReason === "content-filter" ? { filtered: true } : {}),
    ...(finishReason === "other" && !live.stopReason ? { mayBeCut: true } : {}),
    ...(error?.refuses ? { refused: error.refuses } : {}),
    ...(live.stopReason === "time-limit" ? { timeLimitReached: true } : {}),
    ...(plan.imagesLeftOut ? { imagesLeftOut: plan.imagesLeftOut } : {}),
    ...(plan.trimmed ? { trimmed: plan.trimmed } : {}),
    ...contextAfter(plan, live),
    ...(route ? { route } : {}),
  });
  if (trace)
    reportOperation(() => ({
      kind: "agent",
      trace,
      agent: persona,
      model: plan.model.modelId,
      conversationId: plan.source === "temporary" ? undefined : live.conversationId,
      inputTokens: metrics.inputTokens,
      outputTokens: metrics.outputTokens,
      finishReason,
      durationMs: performance.now() - started,
      errorCode: error?.code,
    }));
  live.emit({ type: "finish", ...(finishReason ? { finishReason } : {}), messageMetadata: metrics });
  return { calls, metrics };
}
