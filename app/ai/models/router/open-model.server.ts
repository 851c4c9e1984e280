import type { LanguageModelV3Usage } from "@ai-sdk/provider";
import { guardCall } from "~/ai/guardrails/guardrails.service.server";
import { AppError } from "~/core/errors";
import { type CallDetails, noteCall } from "~/core/telemetry.server";
import { inTrace, newSpan } from "~/core/trace-context.server";
import type { RouteRecord } from "~/platform/catalogue/models.schema";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { readSetting, readSettings } from "~/platform/settings/settings.service.server";
import { tokensInBytes, tokensInCall } from "../counted-usage";
import { effortOf } from "../effort";
import { GuardedReader } from "../guarded-reader.server";
import { type ChatModelCall, type ChatModelPart, withOption } from "../language-model";
import { KEEPS_TOOLS, lacksOf, ToolsRefused } from "../model-refusals.server";
import { ExplainedStream, PartReader } from "../model-stream.server";
import type { ModelKind } from "../models.schema";
import { hasRequiredKey } from "../provider-entry.server";
import { MalformedResponse } from "../provider-errors.server";
import { ProviderAttempts, type Routed, type RouteRequest } from "./attempts.server";
import { type Candidate, candidatesFor, orderCandidates, placeOf, routingFor } from "./candidates.server";
import { allowedModels, explainUnavailable } from "./model-access.server";
import { type CallSize, type CallTokens, DEFAULT_OUTPUT_TOKENS } from "./spending.server";
import { offlineTarget, type RouteTarget, targetOf } from "./targets.server";

/** Filled in by `routeCall`, also on failure. */
export function newRouteRecord(): RouteRecord {
  return { policy: "priority", reason: "", attempts: [] };
}

function unsupportedCall(target: RouteTarget, model: string): AppError {
  return new AppError(
    "provider_rejected",
    `${target.displayName} offers "${model}", but doesn't support this kind of call. Choose another model.`,
  );
}

const without = <T>(all: readonly T[], some: readonly T[]) => all.filter((one) => !some.includes(one));

const operationOf = (kind: ModelKind) => (kind === "embedding" ? "embeddings" : kind);

export async function routeCall<T>(
  request: RouteRequest,
  record: RouteRecord,
  call: (target: RouteTarget) => Promise<T>,
): Promise<Routed<T>> {
  const trace = newSpan();
  noteCall(record, { trace, operation: operationOf(request.kind ?? "chat") });
  const attempt = (target: RouteTarget) => {
    noteCall(record, { origin: target.origin });
    return inTrace(trace, () => call(target));
  };
  const { actor, model, kind = "chat", accepts = () => true } = request;
  const enableFallback = readSetting(actor.orgId, "ai.enableFallback");
  const { policy, fallbacks } = routingFor(actor.orgId, model);
  record.policy = policy;
  const attempts = new ProviderAttempts(request, record, attempt);
  let failed: AppError | undefined;
  const others = enableFallback ? fallbacks.filter(allowedModels(actor)) : [];
  const ids = [model, ...others];
  for (const [at, id] of ids.entries()) {
    const prefix = failed
      ? `Every provider of "${model}" failed, so the fallback model "${id}" was used. `
      : "";
    if (id === OFFLINE_MODEL && kind === "chat" && accepts(offlineTarget)) {
      record.reason = `${prefix}Built-in model.`;
      record.attempts.push({
        providerId: null,
        providerType: offlineTarget.providerType,
        provider: offlineTarget.displayName,
        model: id,
        outcome: "answered",
        reason: null,
        code: null,
        durationMs: 0,
      });
      return { value: await attempt(offlineTarget), target: offlineTarget, receive: () => {}, end: () => {} };
    }
    const ofKind = candidatesFor(actor.orgId, id, kind);
    // A model of another kind than chat that an admin entered by hand may be listed as a chat model.
    const matching = ofKind.length > 0 || at > 0 ? ofKind : candidatesFor(actor.orgId, id, "chat");
    const accepting = matching.filter((candidate) => accepts(targetOf(candidate)));
    const available = accepting.filter(hasRequiredKey);
    // Without any key, the first provider explains the error.
    const usable = available.length > 0 ? available : accepting.slice(0, 1);
    if (usable.length === 0) {
      const [first] = matching;
      const target = first ? targetOf(first) : id === OFFLINE_MODEL ? offlineTarget : undefined;
      failed ??= target ? unsupportedCall(target, id) : explainUnavailable(actor, id);
      continue;
    }
    const { prefers = () => true } = request;
    const preferred = usable.filter(prefers);
    const { candidates: first, reason } = orderCandidates(preferred.length > 0 ? preferred : usable, policy);
    const { candidates: rest } = orderCandidates(without(usable, first), policy);
    const candidates = [...first, ...rest];
    const tried = enableFallback ? candidates : candidates.slice(0, 1);
    const result = await attempts.run(tried, reason, at === ids.length - 1);
    if (!("error" in result)) {
      record.reason = prefix + record.reason;
      return result;
    }
    if (result.final) throw result.error;
    failed = result.error;
  }
  throw failed ?? explainUnavailable(actor, model);
}

const sizeOf = (call: ChatModelCall): CallSize => ({
  input: tokensInCall(call),
  output: call.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS,
});

/** How many more tokens than estimated a prompt may have for its model. */
const ESTIMATE_MARGIN = 1.35;
const LEAST_OUTPUT = 64;

/** What a context leaves beside the prompt: servers refuse a call whose output limit goes beyond it. */
function fitOutput(limit: number, context: number | undefined, call: ChatModelCall): number {
  if (context === undefined) return limit;
  const room = Math.floor(context - sizeOf(call).input * ESTIMATE_MARGIN);
  return Math.min(limit, Math.max(room, LEAST_OUTPUT));
}

/** @throws AppError `invalid` for a prompt whose beginning the provider would drop without a word */
function assertRead(target: RouteTarget, call: ChatModelCall, context: number | undefined): void {
  const { input } = sizeOf(call);
  if (!target.cutsPrompts || context === undefined || input <= context) return;
  const [sent, read] = [input, context].map((tokens) => tokens.toLocaleString("en-US"));
  throw new AppError(
    "invalid",
    `This takes about ${sent} tokens, more than the ${read} that ${target.displayName} reads with "${target.modelId}". Shorten it, or set a longer context at the server and in the model's settings.`,
  );
}

/** What is known of a model by its id. */
interface ModelFacts {
  /** In tokens. */
  contextLength: number | undefined;
  reasons: boolean;
}
type FactsOf = (modelId: string) => ModelFacts;

const NO_FACTS: ModelFacts = { contextLength: undefined, reasons: false };

/**
 * Applies the organization's default length, as far as the context allows, and temperature to a call. Used by chat,
 * personas, comparisons and workflow steps; calls to `/v1` keep their own.
 *
 * @param target by which the call goes, since a fallback may be of another family
 */
function withGenerationDefaults(
  orgId: string,
  target: RouteTarget,
  call: ChatModelCall,
  factsOf: FactsOf,
): { complete: ChatModelCall; limit: OutputLimit } {
  const { maxTokens, temperature } = readSettings(orgId, "ai");
  const { contextLength, reasons } = factsOf(target.requestedModel);
  const thoughts = reasons ? target.thinkingRoom(effortOf(call)) : 0;
  const allowed = (call.maxOutputTokens ?? maxTokens) + thoughts;
  const tokens = fitOutput(allowed, contextLength, call);
  return {
    complete: { ...call, maxOutputTokens: tokens, temperature: call.temperature ?? temperature },
    limit: { tokens, thoughts, byContext: tokens < allowed },
  };
}

/** The output limit of a call, in tokens. */
export interface OutputLimit {
  tokens: number;
  /** Of it, the room for thoughts. */
  thoughts: number;
  /** Less than the settings allow, since the context leaves no more beside the prompt. */
  byContext: boolean;
}

export interface OpenedModel {
  target: RouteTarget;
  limit?: OutputLimit;
  /** All parts; later failures are `error` parts with a message for the user. */
  stream: Pick<ExplainedStream, "read" | "cancel">;
  /** What was used so far, for a stream that failed or was stopped. */
  usage(): LanguageModelV3Usage;
}

/** Content parts: after the first there is no fallback. */
export const CONTENT_PARTS = new Set<ChatModelPart["type"]>([
  "text-delta",
  "reasoning-delta",
  "tool-input-start",
  "tool-call",
  "file",
]);
const MAX_PARTS_BEFORE_TEXT = 1000;

/** What happens around a call. */
export interface CallHooks {
  /** The provider searches the web itself; those that can't are passed over. */
  searchesWeb?: boolean;
  onWait?: RouteRequest["onWait"];
  /** The call in another way, where the model takes no tools: without it they are left out. */
  withoutTools?: () => Promise<ChatModelCall>;
}

async function readToFirstToken(target: RouteTarget, call: ChatModelCall) {
  const model = await target.languageModel();
  const started = performance.now();
  const { stream, response } = await model.doStream(call);
  if (/^application\/json\b/i.test(response?.headers?.["content-type"] ?? "")) {
    await stream.cancel();
    throw new MalformedResponse();
  }
  const reader = new PartReader(stream, call, true, target.silence().betweenBytesMs);
  const parts: ChatModelPart[] = [];
  try {
    for (let part = await reader.read(); part; part = await reader.read()) {
      parts.push(part);
      if (part.type === "finish" || CONTENT_PARTS.has(part.type)) break;
      if (parts.length > MAX_PARTS_BEFORE_TEXT) throw new MalformedResponse();
    }
  } catch (error) {
    reader.cancel().catch(() => undefined);
    throw error;
  }
  reader.unread(parts);
  return { reader, firstTokenMs: performance.now() - started };
}

/** What a part of an answer says for a trace. */
export function detailsOfPart(part: ChatModelPart): CallDetails | undefined {
  if (part.type === "response-metadata") return { responseId: part.id, responseModel: part.modelId };
  if (part.type !== "finish") return undefined;
  return {
    finishReasons: [part.finishReason.unified],
    reasoningTokens: part.usage.outputTokens.reasoning,
  };
}

/**
 * Finds a provider for a stream. Fallback ends with the first token; later failures are `error` and `finish` parts.
 * Request and answer pass the guardrails.
 * @throws AppError for the user; the signal's reason
 */
export async function openModel(
  { withoutTools, searchesWeb, ...request }: RouteRequest & CallHooks,
  record: RouteRecord,
  given: ChatModelCall,
  factsOf: FactsOf = () => NO_FACTS,
): Promise<OpenedModel> {
  const { signal, actor } = request;
  const { orgId } = actor;
  const guard = request.purpose?.isJudgement ? undefined : guardCall(actor, { model: request.model, signal });
  const guarded = async (one: ChatModelCall): Promise<ChatModelCall> =>
    guard ? { ...one, prompt: await guard.request(one.prompt) } : one;
  const call = await guarded(given);
  const size = (target: RouteTarget) => sizeOf(withGenerationDefaults(orgId, target, call, factsOf).complete);
  const canCallTools = (candidate: Candidate) => !lacksOf(placeOf(candidate)).has("tools");
  const prefers = call.tools?.length ? { prefers: canCallTools } : {};
  const accepts = searchesWeb ? { accepts: (target: RouteTarget) => target.searchingWeb !== undefined } : {};
  const asked = withoutTools ? withOption(call, "console", KEEPS_TOOLS) : call;
  const begin = async (target: RouteTarget, one: ChatModelCall) => {
    const { complete, limit } = withGenerationDefaults(orgId, target, one, factsOf);
    const { maxOutputTokens, temperature } = complete;
    noteCall(record, { isStream: true, maxTokens: maxOutputTokens, temperature });
    assertRead(target, one, factsOf(target.requestedModel).contextLength);
    const sent = { ...complete, abortSignal: signal };
    const searching = searchesWeb ? target.searchingWeb?.(sent) : undefined;
    return { limit, ...(await readToFirstToken(target, searching ?? sent)) };
  };
  let other: Promise<ChatModelCall> | undefined;
  const routed = await routeCall({ size, ...prefers, ...accepts, ...request }, record, async (target) => {
    try {
      return await begin(target, asked);
    } catch (error) {
      if (!withoutTools || !(error instanceof ToolsRefused)) throw error;
      // Asked for once, whoever answers then.
      other ??= withoutTools().then(guarded);
      return begin(target, await other);
    }
  });
  const { target, value, receive, end } = routed;
  let tokens: CallTokens | undefined;
  const errorTarget = { provider: target.displayName, model: target.modelId };
  const reader = guard?.checksAnswers ? new GuardedReader(value.reader, guard) : value.reader;
  const stream = new ExplainedStream(reader, errorTarget, {
    take(part) {
      const details = detailsOfPart(part);
      if (details) noteCall(record, details);
      if (part.type === "finish") {
        const { inputTokens: input, outputTokens: output } = part.usage;
        const { cacheRead, cacheWrite } = input;
        tokens = { input: input.total, output: output.total, cacheRead, cacheWrite };
      }
      receive(tokensInBytes(value.reader.received));
    },
    end: (result) => {
      const stopped = signal?.aborted || result.outcome === "stopped";
      end({
        ...result,
        outcome: stopped ? "stopped" : result.outcome,
        firstTokenMs: value.firstTokenMs,
        tokens,
        estimatedOutput: tokensInBytes(value.reader.received),
      });
    },
  });
  return { target, limit: value.limit, stream, usage: () => value.reader.usage };
}
