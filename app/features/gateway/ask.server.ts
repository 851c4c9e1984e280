import { AppError } from "~/core/errors";
import type { RouteTarget } from "~/features/models/router.service.server";
import { readSetting } from "~/features/settings/read-settings.service.server";
import { type CallBody, readAnswer } from "./body/read-body.server";
import type { PassedProtocol, TokenCounts } from "./protocols/wire-usage";
import { EventWatch } from "./stream/event-watch";
import { PassedStream } from "./stream/passed-stream";
import { type AnswerSource, holdUntilBegun } from "./stream/source";
import { countsOf, TranslatedStream } from "./stream/translated-stream";
import { TRANSLATIONS, type Translation } from "./translation";

/** Of an answer in one piece, in bytes. */
const LARGEST_ANSWER = 32 * 1024 * 1024;
/** An answer in one piece is waited for at most so long, in milliseconds: the official clients' own limit. */
const LONGEST_ANSWER = 10 * 60_000;

/** One call, as every provider that is asked gets it. */
export interface Asking {
  orgId: string;
  protocol: PassedProtocol;
  body: CallBody;
  /** The caller's headers that its protocol hands to the provider. */
  headers: Record<string, string>;
  signal: AbortSignal;
}

/** A stream whose beginning is here. */
export interface BegunStream {
  held: Uint8Array;
  source: AnswerSource;
  /** From asking this provider, in milliseconds. */
  firstTokenMs: number;
}

export interface WholeAnswer {
  body: Uint8Array | string;
  usage: TokenCounts;
}

/** Whether a provider can take the call: in the caller's protocol, or through a translation. */
export function canTake(protocol: PassedProtocol, target: RouteTarget): boolean {
  return target.wire[protocol] !== undefined || TRANSLATIONS[protocol] !== undefined;
}

function translationOf(protocol: PassedProtocol): Translation {
  const translation = TRANSLATIONS[protocol];
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

function assertType(response: Response, expected: RegExp, wanted: string, provider: string): void {
  const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (expected.test(type)) return;
  response.body?.cancel().catch(() => undefined);
  throw new AppError(
    "provider_unavailable",
    `${provider} answered with ${shown(type)} instead of ${wanted}.`,
  );
}

function send(
  target: RouteTarget,
  path: string,
  asking: Asking,
  answer: "streamed" | "whole",
): Promise<Response> {
  const { body, headers, signal } = asking;
  const accept = answer === "whole" ? "application/json" : "text/event-stream";
  return target.send(
    path,
    { body: body.forModel(target.modelId), headers: { ...headers, accept }, signal },
    answer,
  );
}

async function passStream(target: RouteTarget, path: string, asking: Asking): Promise<AnswerSource> {
  const { protocol, body, orgId } = asking;
  const provider = target.displayName;
  const response = await send(target, path, asking, "streamed");
  assertType(response, /^text\/event-stream$/, "an event stream", provider);
  if (!response.body || protocol === "openai-embeddings")
    throw new AppError("provider_unavailable", `${provider} sent an empty response.`);
  return new PassedStream({
    body: response.body,
    protocol,
    provider,
    hideUsage: !body.envelope.showsUsage,
    eventMs: readSetting(orgId, "ai.timeout"),
    signal: asking.signal,
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
function endingWith(signal: AbortSignal): AbortController {
  const ending = new AbortController();
  if (signal.aborted) ending.abort(signal.reason);
  signal.addEventListener("abort", () => ending.abort(signal.reason), { once: true });
  return ending;
}

async function translateStream(target: RouteTarget, asking: Asking): Promise<AnswerSource> {
  const { protocol, body, orgId } = asking;
  const { displayName } = target;
  const translation = translationOf(protocol);
  const ending = endingWith(asking.signal);
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
  const held = await holdUntilBegun(source);
  return { held, source, firstTokenMs: performance.now() - started };
}

async function readAll(response: Response, provider: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const next = await reader?.read();
    if (!next || next.done) return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
    size += next.value.length;
    if (size > LARGEST_ANSWER) {
      reader?.cancel().catch(() => undefined);
      throw new AppError("provider_unavailable", `${provider} sent a response of more than 32 MB.`);
    }
    pieces.push(next.value);
  }
}

async function passWhole(target: RouteTarget, path: string, asking: Asking): Promise<WholeAnswer> {
  const provider = target.displayName;
  const response = await send(target, path, asking, "whole");
  assertType(response, /^application\/([\w.-]+\+)?json$/, "JSON", provider);
  const { inBase64 } = asking.body.envelope;
  const bytes = await readAll(response, provider);
  const answer = await readAnswer(asking.protocol, bytes, inBase64, asking.signal);
  if (answer.kind === "error") throw answer.error;
  if (answer.kind === "broken")
    throw new AppError("provider_unavailable", `${provider} sent an invalid response.`);
  return { body: answer.body, usage: answer.usage };
}

async function translateWhole(target: RouteTarget, asking: Asking): Promise<WholeAnswer> {
  const translation = translationOf(asking.protocol);
  const { model, call } = await adapterCall(target, translation, asking, "whole");
  const result = await model.doGenerate(call);
  return {
    body: JSON.stringify(translation.whole(asking.body.envelope.model, result)),
    usage: countsOf(result.usage),
  };
}

/** Asks one provider for an answer in one piece. @throws what the router judges */
export async function askForWhole(target: RouteTarget, asking: Asking): Promise<WholeAnswer> {
  const path = target.wire[asking.protocol];
  const ending = endingWith(asking.signal);
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
  }
}
