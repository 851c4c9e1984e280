import { AppError } from "~/core/errors";
import { type ProviderAnswer, readBytes } from "~/features/models/provider-answer.service.server";
import type { RouteTarget } from "~/features/models/router.service.server";
import { readSetting } from "~/features/settings/read-settings.service.server";
import { type CallBody, readAnswer } from "./body/read-body.server";
import { type ProtocolName, protocolOf } from "./protocols";
import type { Translation } from "./protocols/protocol";
import type { TokenCounts } from "./protocols/wire-usage";
import { EventWatch } from "./stream/event-watch";
import { PassthroughStream } from "./stream/passthrough-stream";
import type { AnswerSource } from "./stream/source";
import { countsOf, TranslatedStream } from "./stream/translated-stream";

/** Of an answer in one piece, in bytes. */
const LARGEST_ANSWER = 32 * 1024 * 1024;
/** An answer in one piece is waited for at most so long, in milliseconds: the official clients' own limit. */
const LONGEST_ANSWER = 10 * 60_000;

/** One call, as every provider that is asked gets it. */
export interface Asking {
  orgId: string;
  protocol: ProtocolName;
  body: CallBody;
  /** The caller's headers that its protocol hands to the provider. */
  headers: Record<string, string>;
  signal: AbortSignal;
}

/** A stream whose beginning is here. */
export interface BegunStream {
  source: AnswerSource;
  /** From asking this provider, in milliseconds. */
  firstTokenMs: number;
}

export interface CompleteResponse {
  body: Uint8Array | string;
  usage: TokenCounts;
}

/** Whether a provider can take the call: in the caller's protocol, or through a translation. */
export function canTake(protocol: ProtocolName, target: RouteTarget): boolean {
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

/** A content type, safe to show in a message. */
function shown(type: string): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) && type.length <= 60 ? type : "an unnamed type";
}

function assertType(answer: ProviderAnswer, expected: RegExp, wanted: string, provider: string): void {
  const { contentType } = answer;
  if (expected.test(contentType)) return;
  answer.discard();
  throw new AppError(
    "provider_unavailable",
    `${provider} answered with ${shown(contentType)} instead of ${wanted}.`,
  );
}

function ask(
  target: RouteTarget,
  path: string,
  asking: Asking,
  form: "streamed" | "whole",
): Promise<ProviderAnswer> {
  const { body, headers, signal } = asking;
  const accept = form === "whole" ? "application/json" : "text/event-stream";
  return target.ask(
    path,
    { body: body.forModel(target.modelId), headers: { ...headers, accept }, signal },
    form,
  );
}

async function passStream(target: RouteTarget, path: string, asking: Asking): Promise<AnswerSource> {
  const { protocol, body, orgId, signal } = asking;
  const provider = target.displayName;
  const answer = await ask(target, path, asking, "streamed");
  assertType(answer, /^text\/event-stream$/, "an event stream", provider);
  return new PassthroughStream(answer, {
    protocol,
    provider,
    hideUsage: !body.envelope.showsUsage,
    eventMs: readSetting(orgId, "ai.timeout"),
    signal,
  });
}

async function adapterCall(
  target: RouteTarget,
  translation: Translation,
  asking: Asking,
  answer: "streamed" | "whole",
) {
  const model = target.languageModel(answer);
  const request = await asking.body.readRequest(asking.signal);
  const call = translation.toCall(request, await model.supportedUrls);
  return { model, call: { ...call, abortSignal: asking.signal } };
}

/**
 * A signal of the user's own that fires with another. Not AbortSignal.any: on Node 20 that one can be collected before.
 */
function endingWith(signal: AbortSignal) {
  const ending = new AbortController();
  if (signal.aborted) ending.abort(signal.reason);
  const leave = () => ending.abort(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  return { ending, release: () => signal.removeEventListener("abort", leave) };
}

async function translateStream(target: RouteTarget, asking: Asking): Promise<AnswerSource> {
  const { protocol, body, orgId } = asking;
  const { displayName } = target;
  const translation = translationOf(protocol);
  const { ending, release } = endingWith(asking.signal);
  const { model, call } = await adapterCall(
    target,
    translation,
    { ...asking, signal: ending.signal },
    "streamed",
  );
  // Some adapters wait for the first event themselves.
  const watch = new EventWatch(displayName, readSetting(orgId, "ai.timeout"), (failure) =>
    ending.abort(failure),
  );
  watch.wait();
  try {
    const { stream, response } = await model.doStream(call);
    if (/^application\/json\b/i.test(response?.headers?.["content-type"] ?? "")) {
      await stream.cancel();
      throw new AppError(
        "provider_unavailable",
        `${displayName} answered with application/json instead of an event stream.`,
      );
    }
    const { model: asked, showsUsage } = body.envelope;
    return new TranslatedStream(stream, translation.stream(asked, showsUsage), displayName, watch);
  } catch (error) {
    // The next attempt listens to the same signal.
    release();
    watch.assert();
    throw error;
  } finally {
    watch.pause();
  }
}

/** Requests a stream from one provider and waits until it has begun. @throws what the router classifies */
export async function askForStream(target: RouteTarget, asking: Asking): Promise<BegunStream> {
  const started = performance.now();
  const path = target.wire[asking.protocol];
  const source = path ? await passStream(target, path, asking) : await translateStream(target, asking);
  await source.begin();
  return { source, firstTokenMs: performance.now() - started };
}

async function passWhole(target: RouteTarget, path: string, asking: Asking): Promise<CompleteResponse> {
  const provider = target.displayName;
  const response = await ask(target, path, asking, "whole");
  assertType(response, /^application\/([\w.-]+\+)?json$/, "JSON", provider);
  const { inBase64 } = asking.body.envelope;
  const betweenBytesMs = readSetting(asking.orgId, "ai.timeout");
  const bytes = await readBytes(response, {
    firstByteMs: LONGEST_ANSWER,
    betweenBytesMs,
    most: LARGEST_ANSWER,
  });
  if (bytes.byteLength > LARGEST_ANSWER)
    throw new AppError("provider_unavailable", `${provider} sent a response of more than 32 MB.`);
  const answer = await readAnswer(asking.protocol, bytes, inBase64, asking.signal);
  if (answer.kind === "error") throw answer.error;
  if (answer.kind === "broken")
    throw new AppError("provider_unavailable", `${provider} sent an invalid response.`);
  return { body: answer.body, usage: answer.usage };
}

async function translateWhole(target: RouteTarget, asking: Asking): Promise<CompleteResponse> {
  const translation = translationOf(asking.protocol);
  const { model, call } = await adapterCall(target, translation, asking, "whole");
  const result = await model.doGenerate(call);
  return {
    body: JSON.stringify(translation.whole(asking.body.envelope.model, result)),
    usage: countsOf(result.usage),
  };
}

/** Asks one provider for an answer in one piece. @throws what the router judges */
export async function askForWhole(target: RouteTarget, asking: Asking): Promise<CompleteResponse> {
  const path = target.wire[asking.protocol];
  const { ending, release } = endingWith(asking.signal);
  const tooLong = new AppError(
    "provider_timeout",
    `${target.displayName} took longer than ${LONGEST_ANSWER / 60_000} minutes.`,
  );
  const timer = setTimeout(() => ending.abort(tooLong), LONGEST_ANSWER);
  const bounded = { ...asking, signal: ending.signal };
  try {
    return await (path ? passWhole(target, path, bounded) : translateWhole(target, bounded));
  } finally {
    clearTimeout(timer);
    release();
  }
}
