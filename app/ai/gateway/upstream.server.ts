import { type ProviderResponse, readBytes } from "~/ai/models/provider-client.service.server";
import { nonStreamingTimeout, type ResponseMode, type RouteTarget } from "~/ai/models/router.service.server";
import { followSignal, withDeadline } from "~/core/abort";
import { AppError } from "~/core/errors";
import { readSetting } from "~/platform/settings/read-settings.service.server";
import { readNonStreamingResponse } from "./body/non-streaming-response";
import type { CallBody } from "./body/read-body";
import { type ProtocolName, protocolOf } from "./protocols/index";
import type { Translation } from "./protocols/protocol";
import type { TokenCounts } from "./protocols/wire-usage";
import { EventWatch } from "./stream/event-watch";
import { PassthroughStream } from "./stream/passthrough-stream";
import type { ResponseSource } from "./stream/source";
import { TranslatedStream, toTokenCounts } from "./stream/translated-stream";

/** Size limit of a non-streaming response, in bytes. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/** A call as sent to each provider. */
export interface UpstreamRequest {
  orgId: string;
  protocol: ProtocolName;
  body: CallBody;
  /** Headers that the protocol passes on. */
  headers: Record<string, string>;
  signal: AbortSignal;
}

/** A stream that has begun. */
export interface StartedStream {
  source: ResponseSource;
  /** Since the request, in ms. */
  firstTokenMs: number;
}

export interface CompleteResponse {
  body: Uint8Array | string;
  usage: TokenCounts;
}

/** True if the provider speaks the protocol or a translation exists. */
export function supportsProtocol(protocol: ProtocolName, target: RouteTarget): boolean {
  return target.wire[protocol] !== undefined || protocolOf(protocol).translation !== undefined;
}

function translationOf(protocol: ProtocolName): Translation {
  const translation = protocolOf(protocol).translation;
  if (translation) return translation;
  throw new AppError(
    "provider_rejected",
    "This provider doesn't support the call's protocol. Choose another model.",
  );
}

/** A content type made safe for a message. */
function quoteType(type: string): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) && type.length <= 60 ? type : "an unknown type";
}

function assertType(
  response: ProviderResponse,
  expected: RegExp,
  expectedName: string,
  provider: string,
): void {
  const { contentType } = response;
  if (expected.test(contentType)) return;
  response.discard();
  throw new AppError(
    "provider_unavailable",
    `${provider} returned ${quoteType(contentType)} instead of ${expectedName}.`,
  );
}

function send(
  target: RouteTarget,
  path: string,
  request: UpstreamRequest,
  mode: ResponseMode,
): Promise<ProviderResponse> {
  const { body, headers, signal } = request;
  const accept = mode === "non-streaming" ? "application/json" : "text/event-stream";
  return target.forward(
    path,
    { body: body.forModel(target.modelId), headers: { ...headers, accept }, signal },
    mode,
  );
}

async function openPassthroughStream(
  target: RouteTarget,
  path: string,
  request: UpstreamRequest,
): Promise<ResponseSource> {
  const { protocol, body, orgId, signal } = request;
  const provider = target.displayName;
  const response = await send(target, path, request, "streaming");
  assertType(response, /^text\/event-stream$/, "an event stream", provider);
  return new PassthroughStream(response, {
    protocol,
    provider,
    hideUsage: !body.envelope.showsUsage,
    eventMs: readSetting(orgId, "ai.timeout"),
    signal,
  });
}

async function prepareAdapterCall(
  target: RouteTarget,
  translation: Translation,
  request: UpstreamRequest,
  mode: ResponseMode,
) {
  const model = await target.languageModel(mode);
  const call = translation.toCall(request.body.request, await model.supportedUrls);
  return { model, call: { ...call, abortSignal: request.signal } };
}

async function openTranslatedStream(target: RouteTarget, request: UpstreamRequest): Promise<ResponseSource> {
  const { protocol, body, orgId } = request;
  const { displayName } = target;
  const translation = translationOf(protocol);
  const { controller, release } = followSignal(request.signal);
  const { model, call } = await prepareAdapterCall(
    target,
    translation,
    { ...request, signal: controller.signal },
    "streaming",
  );
  // Some adapters await the first event themselves.
  const watch = new EventWatch(displayName, readSetting(orgId, "ai.timeout"), (failure) =>
    controller.abort(failure),
  );
  watch.wait();
  try {
    const { stream, response } = await model.doStream(call);
    if (/^application\/json\b/i.test(response?.headers?.["content-type"] ?? "")) {
      await stream.cancel();
      throw new AppError(
        "provider_unavailable",
        `${displayName} returned application/json instead of an event stream.`,
      );
    }
    const { model: requestedModel, showsUsage } = body.envelope;
    return new TranslatedStream(stream, translation.stream(requestedModel, showsUsage), watch);
  } catch (error) {
    // The next attempt reuses the signal.
    release();
    watch.throwIfTimedOut();
    throw error;
  } finally {
    watch.pause();
  }
}

export async function openStream(target: RouteTarget, request: UpstreamRequest): Promise<StartedStream> {
  const started = performance.now();
  const path = target.wire[request.protocol];
  const source = path
    ? await openPassthroughStream(target, path, request)
    : await openTranslatedStream(target, request);
  await source.begin();
  return { source, firstTokenMs: performance.now() - started };
}

async function fetchPassthroughResponse(
  target: RouteTarget,
  path: string,
  request: UpstreamRequest,
): Promise<CompleteResponse> {
  const provider = target.displayName;
  const response = await send(target, path, request, "non-streaming");
  assertType(response, /^application\/([\w.-]+\+)?json$/, "JSON", provider);
  const { inBase64 } = request.body.envelope;
  const betweenBytesMs = readSetting(request.orgId, "ai.timeout");
  const bytes = await readBytes(response, {
    firstByteMs: betweenBytesMs,
    betweenBytesMs,
    max: MAX_RESPONSE_BYTES,
  });
  if (bytes.byteLength > MAX_RESPONSE_BYTES)
    throw new AppError("provider_unavailable", `${provider} sent a response of more than 32 MB.`);
  const parsed = readNonStreamingResponse(request.protocol, bytes, inBase64);
  if (parsed.kind === "error") throw parsed.error;
  if (parsed.kind === "broken")
    throw new AppError("provider_unavailable", `${provider} sent an invalid response.`);
  return { body: parsed.body, usage: parsed.usage };
}

async function fetchTranslatedResponse(
  target: RouteTarget,
  request: UpstreamRequest,
): Promise<CompleteResponse> {
  const translation = translationOf(request.protocol);
  const { model, call } = await prepareAdapterCall(target, translation, request, "non-streaming");
  const result = await model.doGenerate(call);
  return {
    body: JSON.stringify(translation.toResponse(request.body.envelope.model, result)),
    usage: toTokenCounts(result.usage),
  };
}

/** Requests a non-streaming response. @throws what the router classifies */
export async function fetchResponse(
  target: RouteTarget,
  request: UpstreamRequest,
): Promise<CompleteResponse> {
  const path = target.wire[request.protocol];
  const ms = nonStreamingTimeout(request.orgId);
  const message = `${target.displayName} took longer than ${ms / 1000} s.`;
  const timeoutError = () => new AppError("provider_timeout", message);
  return withDeadline({ ms, timeoutError, signal: request.signal }, (signal) => {
    const bounded = { ...request, signal };
    return path ? fetchPassthroughResponse(target, path, bounded) : fetchTranslatedResponse(target, bounded);
  });
}
