import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
} from "@ai-sdk/provider";
import type { EffortChoice } from "~/ai/models/model-picker.shared";
import {
  contextLength,
  effortOptions,
  explainProviderError,
  isEstimated,
  newRouteRecord,
  OWN_TOOLS,
  type ResolvedModel,
  type RouteTarget,
  takesTools,
} from "~/ai/models/models.service.server";
import { wireName } from "~/ai/models/wire-names.service.server";
import type { AnswerMetrics, ToolProgress, TrimmedContext } from "~/ai/tools/answer-stream.schema";
import { type CallGuard, callTool } from "~/ai/tools/call-tool.service.server";
import type { ToolInfo } from "~/ai/tools/tools.schema";
import { nobodyToAsk, type OfferedTool, type PersonaApproval } from "~/ai/tools/tools.service.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { withPurpose } from "~/core/purpose.server";
import { clip } from "~/core/well-formed";
import type { RouteRecord } from "~/platform/catalogue/models.schema";
import { approvedCalls, interruptionEvents, requestApproval } from "../answer-state.shared";
import { seesImages } from "../attachments/attachments.service.server";
import { ANSWER_MINUTES } from "../chat-choices.shared";
import type { ActiveGeneration } from "./active-generation.server";
import { approvalReasons, guardSharing, noteOutsideContent } from "./approval-gate.server";
import { type RequestedCall, type StepOutcome, streamStep } from "./model-step.server";
import { answerMessages, describeTools, quotedDocuments, readResultImages } from "./prompt.server";

function sum(values: readonly (number | null)[]): number | null {
  let total = 0;
  for (const value of values) {
    if (value === null) return null;
    total += value;
  }
  return total;
}

/** Figures of an answer continued after approvals, without the waiting time. */
function addMetrics(before: AnswerMetrics | null | undefined, after: AnswerMetrics): AnswerMetrics {
  if (!before) return after;
  const add = (key: "inputTokens" | "outputTokens" | "costMicros" | "durationMs") =>
    sum([before[key], after[key]]);
  const cached = (key: "cacheReadTokens" | "cacheWriteTokens") => {
    const total = (before[key] ?? 0) + (after[key] ?? 0);
    return total > 0 ? { [key]: total } : {};
  };
  return {
    ...before,
    ...after,
    ...cached("cacheReadTokens"),
    ...cached("cacheWriteTokens"),
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
  firstTokenMs: number | null;
  durationMs: number;
  outcome: "ok" | "stopped" | "interrupted" | "error";
  errorCode: string | null;
  target: RouteTarget | undefined;
  route: RouteRecord;
}

export interface AnswerPlan {
  model: ResolvedModel;
  prompt: LanguageModelV3Message[];
  trimmed?: TrimmedContext;
  tools: readonly ToolInfo[];
  /** What to search the documents for, where the model can't call the search itself. */
  searchFor?: string | undefined;
  maxSteps: number;
  effort?: EffortChoice;
  imagesLeftOut?: number;
  personaId?: string | undefined;
  approval?: PersonaApproval | undefined;
  /** Tools that nobody selected. */
  offered?: Readonly<Record<string, OfferedTool>>;
  before?: AnswerMetrics | null;
  source: "chat" | "comparison";
}

/** Tool calls of a step that run concurrently. */
const PARALLEL_CALLS = 4;
/** Attempts kept in an answer's figures. */
const MAX_ATTEMPTS = 60;
/** Time limit of a turn, in ms. */
const TURN_TIMEOUT = ANSWER_MINUTES * 60_000;

function guardOf(plan: AnswerPlan, live: ActiveGeneration): CallGuard {
  const quoted = () => quotedDocuments([...plan.prompt, ...answerMessages(live.state)]);
  return guardSharing(live.actor, live.conversationId, quoted);
}

async function runCalls(
  calls: readonly RequestedCall[],
  plan: AnswerPlan,
  live: ActiveGeneration,
): Promise<void> {
  const waiting = [...calls];
  const guard = guardOf(plan, live);
  const { actor, conversationId, messageId, signal } = live;
  const source = { kind: plan.source, conversationId, messageId, personaId: plan.personaId };
  const worker = async () => {
    for (let call = waiting.shift(); call && !signal.aborted; call = waiting.shift()) {
      const { toolCallId, toolName, input } = call;
      const isApproved = live.state.parts.some(
        (part) => part.type === "tool" && part.toolCallId === toolCallId && part.approval !== undefined,
      );
      const options = {
        source,
        signal,
        approval: "given",
        guard,
        // On disk before the tool acts, so that a restart repeats no effect, and no approved call for ever.
        onBegin: async (effect: string) => {
          if (effect === "reads" && !isApproved) return;
          await live.emitStored({ type: "data-tool-begun", id: toolCallId, data: {}, transient: true });
        },
        onProgress: (data: ToolProgress) =>
          live.emit({ type: "data-tool-progress", id: toolCallId, data, transient: true }),
      } as const;
      const outcome = await withPurpose({ personaId: plan.personaId }, () =>
        callTool(actor, toolName, input, options),
      );
      if (signal.aborted) return;
      if (outcome.ok) noteOutsideContent(live, toolName, outcome.output);
      else if (outcome.hasRun) noteOutsideContent(live, toolName, undefined);
      if (outcome.ok) live.emit({ type: "tool-output-available", toolCallId, output: outcome.output });
      else live.emit({ type: "tool-output-error", toolCallId, errorText: outcome.error });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_CALLS }, worker));
}

/** @returns whether calls await approval; the others have run, or were refused where nobody can be asked */
async function takeCalls(
  calls: readonly RequestedCall[],
  plan: AnswerPlan,
  live: ActiveGeneration,
): Promise<boolean> {
  const valid = calls.filter((call) => call.error === undefined);
  const reasons = await approvalReasons(valid, plan, live, guardOf(plan, live));
  const withoutApproval = valid.filter(({ toolCallId }) => !reasons.has(toolCallId));
  await runCalls(withoutApproval, plan, live);
  if (live.signal.aborted) return false;
  // Only at a screen; a program has nobody before it.
  const asks = live.actor.kind === "user";
  for (const { toolCallId, toolName } of valid) {
    const reason = reasons.get(toolCallId);
    if (reason && asks) live.emit(requestApproval(toolCallId, reason));
    else if (reason) live.emit({ type: "tool-output-error", toolCallId, errorText: nobodyToAsk(toolName) });
  }
  return asks && reasons.size > 0;
}

function toModelCall(
  call: Partial<StepOutcome>,
  started: number,
  outcome: ModelCall["outcome"],
  code: string | null,
  route: RouteRecord,
): ModelCall {
  return {
    inputTokens: call.usage?.inputTokens.total ?? null,
    outputTokens: call.usage?.outputTokens.total ?? null,
    estimated: isEstimated(call.usage),
    cacheReadTokens: call.usage?.inputTokens.cacheRead ?? null,
    cacheWriteTokens: call.usage?.inputTokens.cacheWrite ?? null,
    firstTokenMs: call.firstTokenMs ?? null,
    durationMs: performance.now() - started,
    outcome,
    errorCode: code,
    target: call.target,
    route,
  };
}

function routeOf(calls: readonly ModelCall[]): RouteRecord | undefined {
  const last = calls.at(-1)?.route;
  return last && { ...last, attempts: calls.flatMap(({ route }) => route.attempts).slice(-MAX_ATTEMPTS) };
}

function cachedIn(calls: readonly ModelCall[]): Pick<AnswerMetrics, "cacheReadTokens" | "cacheWriteTokens"> {
  const total = (key: "cacheReadTokens" | "cacheWriteTokens") =>
    calls.reduce((tokens, call) => tokens + (call[key] ?? 0), 0);
  const [cacheReadTokens, cacheWriteTokens] = [total("cacheReadTokens"), total("cacheWriteTokens")];
  return {
    ...(cacheReadTokens > 0 && { cacheReadTokens }),
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
  };
}

function answeredBy(calls: readonly ModelCall[]): string | undefined {
  const last = calls.at(-1);
  return last?.target?.displayName ?? last?.route.attempts.at(-1)?.provider;
}

interface TurnOutcome {
  calls: ModelCall[];
  finishReason: StepOutcome["finishReason"];
  stepsExhausted: boolean;
  error?: AppError;
}

export const SEARCH = "qdrant.search";
/** About as long as a passage is, with its title and address. */
export const PASSAGE_TOKENS = 500;
/** Characters that its search takes. */
const MAX_QUERY = 2000;
/** Tokens of a context that five passages would fill. */
const SHORT_CONTEXT = 8192;

/** How many passages a model without tools is given. */
export const passagesFor = (orgId: string, modelId: string): number =>
  (contextLength(orgId, modelId) ?? SHORT_CONTEXT + 1) <= SHORT_CONTEXT ? 2 : 5;

/** Searches the documents in the model's place; it then reads the passages as the result of a call. */
async function searchFirst(plan: AnswerPlan, live: ActiveGeneration): Promise<void> {
  const query = clip((plan.searchFor ?? "").trim(), MAX_QUERY);
  if (query === "" || !plan.tools.some(({ name }) => name === SEARCH)) return;
  const input = { query, topK: passagesFor(live.actor.orgId, plan.model.modelId) };
  const call = { toolCallId: newId("call"), toolName: SEARCH, input };
  live.emit({ type: "start-step" });
  live.emit({ type: "tool-input-start", toolCallId: call.toolCallId, toolName: SEARCH });
  live.emit({ type: "tool-input-available", ...call });
  const reasons = await approvalReasons([call], plan, live, guardOf(plan, live));
  if (reasons.size === 0) await runCalls([call], plan, live);
  else
    live.emit({
      type: "tool-output-error",
      toolCallId: call.toolCallId,
      errorText: "Not searched: the model doesn't take tools, and this one asks for an approval.",
    });
  live.emit({ type: "finish-step" });
}

async function runSteps(
  plan: AnswerPlan,
  live: ActiveGeneration,
  onStep: (call: ModelCall) => void,
): Promise<TurnOutcome> {
  const calls: ModelCall[] = [];
  const toolNames = new Map(plan.tools.map((tool) => [wireName(tool.name), tool.name]));
  const { modelId } = plan.model;
  let tools = describeTools(plan.tools);
  const countSteps = () => live.state.parts.filter(({ type }) => type === "step").length;
  const stepsBefore = countSteps();
  if (stepsBefore > 0) {
    await runCalls(approvedCalls(live.state.parts), plan, live);
    if (live.signal.aborted || stepsBefore >= plan.maxSteps) {
      return { calls, finishReason: "tool-calls", stepsExhausted: !live.signal.aborted };
    }
  }
  const asked = (tools: LanguageModelV3FunctionTool[]): LanguageModelV3CallOptions => {
    const images = readResultImages(live.actor, live.state.parts, () => seesImages(live.actor, modelId));
    return {
      prompt: [...plan.prompt, ...answerMessages(live.state, images)],
      ...(tools.length > 0 ? { tools } : {}),
      providerOptions: { console: { ...effortOptions(plan.effort).console, ...OWN_TOOLS } },
      abortSignal: live.signal,
    };
  };
  const search = async () => {
    tools = [];
    if (stepsBefore === 0) await searchFirst(plan, live);
    live.signal.throwIfAborted();
  };
  const withoutTools = async () => {
    live.emit({ type: "finish-step" });
    await search();
    live.emit({ type: "start-step" });
    return asked([]);
  };
  for (;;) {
    const started = performance.now();
    let firstTokenMs: number | null = null;
    const route = newRouteRecord();
    const received: Partial<StepOutcome> = {};
    let isCounted = false;
    try {
      if (tools.length > 0 && !takesTools(live.actor.orgId, modelId)) await search();
      live.emit({ type: "start-step" });
      const step = await streamStep({
        model: plan.model,
        call: asked(tools),
        toolNames,
        emit: (chunk) => {
          if (chunk.type === "text-delta" || chunk.type === "reasoning-delta") {
            firstTokenMs ??= performance.now() - started;
          }
          live.emit(chunk);
        },
        route,
        countSteps,
        ...(tools.length > 0 && { withoutTools }),
        received,
      });
      calls.push(toModelCall(step, started, "ok", null, route));
      isCounted = true;
      const waits = await takeCalls(step.calls, plan, live);
      live.emit({ type: "finish-step" });
      if (waits) return { calls, finishReason: step.finishReason, stepsExhausted: false };
      const wantsMore = step.calls.length > 0 && !live.signal.aborted;
      if (!wantsMore || countSteps() >= plan.maxSteps) {
        return { calls, finishReason: step.finishReason, stepsExhausted: wantsMore };
      }
      const ended = calls.at(-1);
      if (ended) onStep(ended);
    } catch (error) {
      const note = (outcome: ModelCall["outcome"], code: string | null) => {
        if (!isCounted) calls.push(toModelCall({ ...received, firstTokenMs }, started, outcome, code, route));
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

/**
 * Generates one answer: calls the model and its requested tools until it has answered, Max Steps is reached, or the
 * generation is stopped. Emits every change as an event; an error becomes an event and never escapes.
 * @param price cost of a call in millionths of a dollar, null if unknown
 * @param onStep called with each finished model call while the turn continues, to record it at once
 * @returns all model calls, for usage records, and the answer's metrics
 */
export async function runAnswer(
  plan: AnswerPlan,
  live: ActiveGeneration,
  price: (call: ModelCall) => number | null,
  onStep: (call: ModelCall) => void = () => {},
): Promise<{ calls: ModelCall[]; metrics: AnswerMetrics }> {
  const started = performance.now();
  const limit = setTimeout(() => live.stop("time-limit"), TURN_TIMEOUT);
  live.emit({ type: "start", messageId: live.messageId, messageMetadata: { model: plan.model.modelId } });
  const turn = runSteps(plan, live, onStep).finally(() => clearTimeout(limit));
  const { calls, finishReason, stepsExhausted, error } = await turn;
  if (error) {
    log.warn("an answer failed", {
      messageId: live.messageId,
      provider: answeredBy(calls),
      model: plan.model.modelId,
      code: error.code,
      error,
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
    ...(finishReason === "length" ? { lengthReached: true } : {}),
    ...(finishReason === "content-filter" ? { filtered: true } : {}),
    ...(finishReason === "other" && !live.stopReason ? { mayBeCut: true } : {}),
    ...(live.stopReason === "time-limit" ? { timeLimitReached: true } : {}),
    ...(plan.imagesLeftOut ? { imagesLeftOut: plan.imagesLeftOut } : {}),
    ...(plan.trimmed ? { trimmed: plan.trimmed } : {}),
    ...(route ? { route } : {}),
  });
  live.emit({ type: "finish", ...(finishReason ? { finishReason } : {}), messageMetadata: metrics });
  return { calls, metrics };
}
