import {
  KEEPS_SETTINGS,
  nonStreamingTimeout,
  packStep,
  type ResponseMode,
  type RouteTarget,
  StepStateCollector,
  tokensInBytes,
  wellFormedModel,
} from "~/ai/models/models.service.server";
import { type ProviderResponse, readBytes } from "~/ai/models/provider-client.service.server";
import { withDeadline } from "~/core/abort";
import { AppError } from "~/core/errors";
import type { CallDetails } from "~/core/telemetry.server";
import { parseWellFormed } from "~/core/well-formed";
import type { CallBody } from "./call-body";
import { responseDetails } from "./call-details";
import { invalidField } from "./protocols/content";
import { type ProtocolName, protocolOf, usageOfBody } from "./protocols/index";
import type { Protocol, Translation } from "./protocols/protocol";
import type { TokenCounts } from "./protocols/wire-usage";
import { returnedHeaders } from "./provider-reason";
import { PassthroughStream } from "./stream/passthrough-stream";
import type { ResponseSource } from "./stream/source";
import { TranslatedStream, toTokenCounts } from "./stream/translated-stream";

/** Size limit of a non-streaming response, in bytes. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

export interface UpstreamRequest {
  orgId: string;
  protocol: ProtocolName;
  body: CallBody;
  headers: Record<string, string>;
  signal: AbortSignal;
}

interface CompleteResponse {
  body: Uint8Array | string;
  usage: TokenCounts;
  details: CallDetails;
  /** What a provider of the caller's protocol says beside its response. */
  headers?: Record<string, string>;
}

/** In tokens: a body's images aren't text. */
const MAX_INPUT_TOKENS = 200_000;

export const estimateInput = ({ size }: CallBody): number => Math.min(tokensInBytes(size), MAX_INPUT_TOKENS);

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

async function openPassthroughStream(target: RouteTarget, path: string, request: UpstreamRequest) {
  const { protocol, body, signal } = request;
  const provider = target.displayName;
  const response = await send(target, path, request, "streaming");
  assertType(response, /^text\/event-stream$/, "an event stream", provider);
  const options = {
    protocol,
    provider,
    hideUsage: !body.envelope.showsUsage,
    inputTokens: estimateInput(body),
    silence: target.silence(),
    signal,
  };
  return { source: new PassthroughStream(response, options), headers: returnedHeaders(response.headers) };
}

async function prepareAdapterCall(
  target: RouteTarget,
  translation: Translation,
  request: UpstreamRequest,
  mode: ResponseMode,
) {
  const model = wellFormedModel(await target.languageModel(mode), target.silence().betweenBytesMs);
  const call = translation.toCall(request.body.request, await model.supportedUrls);
  const [ignored] = await target.ignoredSettings(call);
  if (ignored !== undefined) {
    const member = translation.members[ignored] ?? ignored.replaceAll(/[A-Z]/g, "_$&").toLowerCase();
    throw invalidField(
      member.split("."),
      "This model's provider doesn't support this value. Leave it out, or choose another model.",
    );
  }
  const console = { ...call.providerOptions?.console, ...KEEPS_SETTINGS };
  const providerOptions = { ...call.providerOptions, console };
  return { model, call: { ...call, providerOptions, abortSignal: request.signal } };
}

/** The client of the provider watches for silence: whatever it sends counts, also what no adapter shows. */
async function openTranslatedStream(target: RouteTarget, request: UpstreamRequest): Promise<ResponseSource> {
  const { protocol, body } = request;
  const translation = translationOf(protocol);
  const { model, call } = await prepareAdapterCall(target, translation, request, "streaming");
  const { stream, response } = await model.doStream(call);
  if (/^application\/json\b/i.test(response?.headers?.["content-type"] ?? "")) {
    await stream.cancel();
    throw new AppError(
      "provider_unavailable",
      `${target.displayName} returned application/json instead of an event stream.`,
    );
  }
  return new TranslatedStream(stream, translation.stream(body), target.writtenBy);
}

export async function openStream(target: RouteTarget, request: UpstreamRequest) {
  const started = performance.now();
  const path = target.wire[request.protocol];
  const { source, headers }: { source: ResponseSource; headers: Record<string, string> } = path
    ? await openPassthroughStream(target, path, request)
    : { source: await openTranslatedStream(target, request), headers: {} };
  await source.begin();
  return { source, headers, firstTokenMs: performance.now() - started };
}

async function fetchPassthroughResponse(target: RouteTarget, path: string, request: UpstreamRequest) {
  const provider = target.displayName;
  const response = await send(target, path, request, "non-streaming");
  assertType(response, /^application\/([\w.-]+\+)?json$/, "JSON", provider);
  const { inBase64 } = request.body.envelope;
  const { betweenBytesMs } = target.silence();
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
  const { body, usage, details } = parsed;
  return { body, usage, details, headers: returnedHeaders(response.headers) };
}

async function fetchTranslatedResponse(target: RouteTarget, request: UpstreamRequest) {
  const translation = translationOf(request.protocol);
  const { model, call } = await prepareAdapterCall(target, translation, request, "non-streaming");
  const result = await model.doGenerate(call);
  const state = new StepStateCollector();
  state.takeWhole(result);
  const kept = state.kept(target.writtenBy);
  return {
    body: JSON.stringify(translation.toResponse(request.body, result, kept && packStep(kept))),
    usage: toTokenCounts(result.usage),
    details: {
      responseId: result.response?.id,
      responseModel: result.response?.modelId,
      finishReasons: [result.finishReason.unified],
      reasoningTokens: result.usage.outputTokens.reasoning,
    },
  };
}

type Answering = Required<Pick<Protocol, "answer">>["answer"];

async function fetchOwnResponse(target: RouteTarget, answer: Answering, request: UpstreamRequest) {
  const { protocol, body, signal } = request;
  const response = await answer(target, body, signal);
  const usage = usageOfBody(protocol, response);
  return { body: JSON.stringify(response), usage, details: responseDetails({}, response) };
}

/** Requests a non-streaming response. @throws what the router classifies */
export async function fetchResponse(target: RouteTarget, request: UpstreamRequest) {
  const path = target.wire[request.protocol];
  const ms = Math.max(nonStreamingTimeout(request.orgId), target.silence().firstByteMs);
  const message = `${target.displayName} took longer than ${ms / 1000} s.`;
  const timeoutError = () => new AppError("provider_timeout", message);
  return withDeadline({ ms, timeoutError, signal: request.signal }, (signal): Promise<CompleteResponse> => {
    const bounded = { ...request, signal };
    const { answer } = protocolOf(request.protocol);
    if (answer) return fetchOwnResponse(target, answer, bounded);
    return path ? fetchPassthroughResponse(target, path, bounded) : fetchTranslatedResponse(target, bounded);
  });
}

/** A non-streaming response: successful, the provider's error, or unreadable. */
type NonStreamingResponse =
  | { kind: "response"; usage: TokenCounts; body: Uint8Array; details: CallDetails }
  | { kind: "error"; error: unknown }
  | { kind: "broken" };

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads a provider's response with a success status. @param inBase64 true to return vectors as base64 */
export function readNonStreamingResponse(
  protocol: ProtocolName,
  bytes: Uint8Array,
  inBase64: boolean,
): NonStreamingResponse {
  let body: unknown;
  try {
    body = parseWellFormed(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return { kind: "broken" };
  }
  if (!isObject(body)) return { kind: "broken" };
  const { kind, resultMember } = protocolOf(protocol);
  const list: unknown = body[resultMember];
  if (Array.isArray(list)) {
    const isChanged = inBase64 && kind === "embedding" && encodeVectors(list);
    return {
      kind: "response",
      usage: usageOfBody(protocol, body),
      details: responseDetails({}, body),
      body: isChanged ? Buffer.from(JSON.stringify(body)) : bytes,
    };
  }
  return body.error ? { kind: "error", error: body.error } : { kind: "broken" };
}

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((one) => typeof one === "number");

/** Encodes vectors as base64 of little-endian 32-bit floats. @returns whether there were any */
function encodeVectors(items: readonly unknown[]): boolean {
  let hasVectors = false;
  for (const item of items) {
    if (!isObject(item) || !isVector(item.embedding)) continue;
    const { embedding } = item;
    const bytes = Buffer.alloc(embedding.length * 4);
    for (const [index, value] of embedding.entries()) bytes.writeFloatLE(value, index * 4);
    item.embedding = bytes.toString("base64");
    hasVectors = true;
  }
  return hasVectors;
}
