import { type Guard, guardCall } from "~/ai/guardrails/guardrails.service.server";
import {
  assertMayCall,
  type CallEnd,
  type CallSize,
  cutOffCall,
  DEFAULT_OUTPUT_TOKENS,
  explainProviderError,
  newRouteRecord,
  type Routed,
  type RouteTarget,
  routeCall,
  tokensInBytes,
} from "~/ai/models/models.service.server";
import { calledAt } from "~/ai/models/pricing.service.server";
import { isFulfilledWithin } from "~/core/abort";
import type { Actor } from "~/core/actor";
import { asAppError } from "~/core/as-app-error.server";
import { AppError } from "~/core/errors";
import { asOpenCall } from "~/core/open-calls.server";
import { RateLimiter } from "~/core/rate-limiter.server";
import { noteCall } from "~/core/telemetry.server";
import type { RouteRecord } from "~/platform/catalogue/models.schema";
import {
  type Answer,
  bytes,
  HEARTBEAT_COMMENT,
  HEARTBEAT_MS,
  type Relay,
  relay,
} from "~/platform/endpoint/endpoint.shared";
import { countOf } from "~/ui/format";
import { readCallBody } from "./call-body";
import { requestDetails } from "./call-details";
import { GuardedWriter, guardBody, guardResponse } from "./guarded-call";
import { ProtocolRefusal } from "./protocols/errors";
import { type ProtocolName, protocolOf } from "./protocols/index";
import type { TokenCounts } from "./protocols/wire-usage";
import { keepRefusal, readRefusal, withRefusal } from "./provider-reason";
import {
  estimateInput,
  fetchResponse,
  openStream,
  supportsProtocol,
  type UpstreamRequest,
} from "./upstream.server";
import { queueUsage } from "./usage-log.server";

export interface GatewayCall {
  actor: Actor;
  requestId: string;
  headers: Headers;
  /** Fires when the caller disconnects or its token ends. */
  signal: AbortSignal;
  raw(): Promise<Uint8Array>;
}

interface RunningCall {
  call: GatewayCall;
  request: UpstreamRequest;
  record: RouteRecord;
  started: number;
  /** Absent where answers aren't checked. */
  guard?: Guard | undefined;
}

/** Header values must be ASCII. */
function ascii(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, 500);
}

/** How a call was routed, for its caller. */
export function routeHeaders(record: RouteRecord, target: Routed<unknown>["target"]) {
  return {
    "x-gateway-provider": ascii(target.displayName),
    "x-gateway-model": ascii(target.modelId),
    "x-gateway-attempts": String(record.attempts.length),
    "x-gateway-route": ascii(record.reason),
  };
}

function estimateSize({ protocol, body }: UpstreamRequest): CallSize {
  const { kind, searchUnitsOf, sizeOf } = protocolOf(protocol);
  return (
    sizeOf?.(body.request) ?? {
      input: estimateInput(body),
      output: kind === "chat" ? (body.envelope.maxOutput ?? DEFAULT_OUTPUT_TOKENS) : 0,
      searchUnits: searchUnitsOf?.(body.request),
    }
  );
}

const tokensOf = ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
  cacheWrite1hTokens,
  searchUnits,
  images,
}: TokenCounts) => ({
  input: inputTokens,
  output: outputTokens,
  cacheRead: cacheReadTokens,
  cacheWrite: cacheWriteTokens,
  cacheWrite1h: cacheWrite1hTokens,
  searchUnits,
  images,
});

/** Of a call that was cut off. */
const countsOf = ({ input, output, searchUnits, images }: CallSize): TokenCounts => ({
  inputTokens: input,
  outputTokens: output,
  searchUnits: searchUnits ?? undefined,
  images: images ?? undefined,
  estimated: true,
});

/** With the figures that the provider didn't report, as budgets count them. @param output estimated, in tokens */
function countMissing(usage: TokenCounts, request: UpstreamRequest, output: number): TokenCounts {
  const { kind } = protocolOf(request.protocol);
  const writes = kind === "chat";
  // Without a usage they are paid for by the image.
  if (kind === "image") return usage;
  if (usage.inputTokens !== undefined && (!writes || usage.outputTokens !== undefined)) return usage;
  return {
    ...usage,
    inputTokens: usage.inputTokens ?? estimateSize(request).input,
    ...(writes && { outputTokens: usage.outputTokens ?? output }),
    estimated: true,
  };
}

interface CallResult {
  outcome: CallEnd["outcome"];
  usage: TokenCounts;
  firstTokenMs?: number | undefined;
  error?: AppError | undefined;
}

function recordCall(
  { call, request, record, started }: RunningCall,
  ended: CallResult,
  target?: Routed<unknown>["target"],
): void {
  const { outcome, usage, firstTokenMs, error } = ended;
  queueUsage(call.actor, {
    ...calledAt(target, record, request.body.envelope.model),
    ...usage,
    firstTokenMs,
    durationMs: performance.now() - started,
    outcome,
    errorCode: error?.code ?? null,
    source: "gateway",
    route: record,
  });
}

async function route<T>(
  running: RunningCall,
  attempt: (target: RouteTarget) => Promise<T>,
): Promise<Routed<T>> {
  const { call, request, record } = running;
  const tried = keepRefusal(request.protocol, attempt);
  const routing = {
    actor: call.actor,
    model: request.body.envelope.model,
    kind: protocolOf(request.protocol).kind,
    signal: call.signal,
    accepts: (target: RouteTarget) => supportsProtocol(request.protocol, target),
    size: () => estimateSize(request),
    isWhole: !request.body.envelope.stream,
  };
  try {
    return await routeCall(routing, record, tried.attempt);
  } catch (error) {
    const stopped = call.signal.aborted;
    const appError = error instanceof AppError ? error : undefined;
    // Without a provider call there is no usage.
    const cut = cutOffCall(record);
    const usage = cut ? countsOf(cut.tokens) : {};
    if (cut || record.attempts.length > 0)
      recordCall(running, { outcome: stopped ? "stopped" : "error", usage, error: appError }, cut?.target);
    throw stopped ? call.signal.reason : tried.explain(error);
  }
}

async function whole(running: RunningCall): Promise<Answer> {
  const { request } = running;
  const routed = await route(running, (target) => fetchResponse(target, request));
  const { body, usage, headers, details } = routed.value;
  noteCall(running.record, details);
  const counted = countMissing(usage, request, tokensInBytes(body.length));
  routed.end({ outcome: "ok", tokens: tokensOf(counted) });
  let shown = body;
  try {
    if (running.guard) shown = await guardResponse(running.guard, body);
  } catch (error) {
    recordCall(
      running,
      { outcome: "error", usage: counted, error: asAppError(error, running.call.requestId) },
      routed.target,
    );
    throw error;
  }
  recordCall(running, { outcome: "ok", usage: counted }, routed.target);
  return bytes("application/json", shown, { ...headers, ...routeHeaders(running.record, routed.target) });
}

type Opened = Routed<Awaited<ReturnType<typeof openStream>>>;

/** Writes a stream to its end. @returns the last frame, if it failed */
async function relayStream(
  running: RunningCall,
  { value, target, receive, end }: Opened,
  write: Parameters<Relay>[0],
): Promise<string | undefined> {
  const { call, request, started } = running;
  const { protocol, body } = request;
  const firstTokenMs = performance.now() - started;
  const finish = (outcome: CallEnd["outcome"], error?: unknown, explained?: AppError) => {
    const estimatedOutput = tokensInBytes(value.source.textBytes);
    const usage = countMissing(value.source.usage, request, estimatedOutput);
    const tokens = tokensOf(usage);
    noteCall(running.record, value.source.details);
    end({ outcome, firstTokenMs: value.firstTokenMs, error, tokens, estimatedOutput });
    recordCall(running, { outcome, usage, firstTokenMs, error: explained }, target);
  };
  const counted = (piece: Uint8Array) => {
    receive(tokensInBytes(value.source.textBytes));
    return write(piece);
  };
  const guarded = running.guard && new GuardedWriter(running.guard, protocol, { write: counted });
  try {
    await value.source.relay(guarded ?? { write: counted });
    await guarded?.end();
    finish("ok");
    return undefined;
  } catch (error) {
    value.source.cancel();
    const stopped = call.signal.aborted;
    const explained = stopped
      ? stopReason(call.signal)
      : explainProviderError(error, { provider: target.displayName, model: body.envelope.model });
    finish(stopped ? "stopped" : "error", error, explained);
    const isOwn = target.wire[protocol] !== undefined;
    const shown = withRefusal(explained, readRefusal(error), isOwn);
    return protocolOf(protocol).errors.frame(shown, call.requestId, value.source.progress);
  }
}

/**
 * A response begins with the first content, so that its status says whether there is one. For a caller that has waited
 * as long as a heartbeat it begins without.
 *
 * @param answer gets the response once it has begun; the call goes on until the stream ends
 */
async function streamed(running: RunningCall, answer: (begun: Answer) => void): Promise<void> {
  const { call, request } = running;
  const { errors, stream } = protocolOf(request.protocol);
  const heartbeat = stream?.heartbeat ?? HEARTBEAT_COMMENT;
  const opening = route(running, (target) => openStream(target, request));
  // It is awaited again by the stream, unless the caller has gone.
  opening.catch(() => undefined);
  const opened = (await isFulfilledWithin(opening, HEARTBEAT_MS)) ? await opening : undefined;
  const run: Relay = async (write) => {
    try {
      // Of a caller that has gone the call is ended below.
      if (!opened && !call.signal.aborted) void write(Buffer.from(heartbeat));
      return await relayStream(running, opened ?? (await opening), write);
    } catch (error) {
      return errors.frame(asAppError(error, call.requestId), call.requestId, {});
    }
  };
  const headers = opened ? { ...opened.value.headers, ...routeHeaders(running.record, opened.target) } : {};
  await new Promise<void>((ended) => {
    answer(relay((write) => run(write).finally(ended), heartbeat, headers));
  });
}

function stopReason({ reason }: AbortSignal): AppError {
  return reason instanceof AppError ? reason : new AppError("cancelled", "The response was stopped.");
}

export function passedHeaders(protocol: ProtocolName, { headers }: GatewayCall): Record<string, string> {
  const headersToPass = protocolOf(protocol).passedHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value !== null && /^[\w,.: -]{1,1000}$/.test(value) ? [[name, value]] : [];
  });
  return Object.fromEntries(headersToPass);
}

async function runCall(
  protocol: ProtocolName,
  call: GatewayCall,
  answer: (begun: Answer) => void,
): Promise<void> {
  const started = performance.now();
  assertWithinRate(call.actor);
  const raw = await call.raw();
  const sent = readCallBody(protocol, raw);
  const { model } = sent.envelope;
  assertMayCall(call.actor, model);
  const guard = guardCall(call.actor, { model, signal: call.signal });
  const body = guard ? readCallBody(protocol, await guardBody(guard, raw)) : sent;
  const checksAnswer =
    guard?.checksAnswers && ["chat", "image", "rerank"].includes(protocolOf(protocol).kind);
  const { orgId } = call.actor;
  const headers = passedHeaders(protocol, call);
  const request: UpstreamRequest = { orgId, protocol, body, headers, signal: call.signal };
  const record = newRouteRecord();
  noteCall(record, requestDetails(body.request, body.envelope.stream));
  const running: RunningCall = { call, request, record, started, guard: checksAnswer ? guard : undefined };
  if (body.envelope.stream) await streamed(running, answer);
  else answer(await whole(running));
}

/**
 * Handles a call: validated, rate limited, checked by the guardrails, routed, passed through or translated, recorded.
 * @throws AppError before the response begins; later failures are part of it
 */
export function handleCall(protocol: ProtocolName, call: GatewayCall): Promise<Answer> {
  return new Promise((answer, fail) => {
    asOpenCall(call.signal, (signal) => runCall(protocol, { ...call, signal }, answer)).catch(fail);
  });
}

const limiter = new RateLimiter();

/** Rate limit per token. @throws AppError `rate_limited` with `retryAfter` */
export function assertWithinRate({ tokenId, gateway }: Pick<Actor, "tokenId" | "gateway">): void {
  const limit = gateway?.requestsPerMinute;
  if (tokenId === undefined || limit === undefined || limit === null) return;
  const { allowed, retryMs, resetMs } = limiter.take(tokenId, { limit, windowMs: 60_000 });
  if (allowed) return;
  const retryAfter = Math.max(1, Math.ceil(retryMs / 1000));
  const message = `This API token is limited to ${countOf(limit, "call")} per minute. Try again in ${retryAfter} s.`;
  const refusal = new AppError("rate_limited", message, { retryAfter });
  throw new ProtocolRefusal(refusal, { rate: { limit, resetMs } });
}
