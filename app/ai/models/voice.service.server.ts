import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { z } from "zod";
import { guardCall } from "~/ai/guardrails/guardrails.service.server";
import { onAbort } from "~/core/abort";
import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { asOpenCall } from "~/core/open-calls.server";
import { parseJson } from "~/core/parse";
import { writeIfPossible } from "~/core/storage-faults.server";
import type { RouteRecord } from "~/platform/catalogue/models.schema";
import { tokensIn } from "./counted-usage";
import type { ModelKind } from "./models.schema";
import { allowedModels, availableModels } from "./models.service.server";
import { isTokenPriced, type ModelCall, recordCall } from "./pricing.service.server";
import { openBody, type ProviderResponse, readBytes } from "./provider-client.service.server";
import { MalformedResponse } from "./provider-errors.server";
import { secondsOf } from "./recording.server";
import type { CallEnd, Routed } from "./router/attempts.server";
import { assertMayCall } from "./router/model-access.server";
import { newRouteRecord, routeCall } from "./router/open-model.server";
import type { CallSize, CallTokens } from "./router/spending.server";
import type { RouteTarget } from "./router/targets.server";

export { type AudioFormat, audioFormat, MAX_RECORDING_BYTES, withRecording } from "./recording.server";

/** Of a transcript with its times, in bytes. */
const MAX_TRANSCRIPT_BYTES = 2 * 1024 * 1024;
/** Values of a transcript in JSON; each word may have its times. */
const MAX_TRANSCRIPT_VALUES = 200_000;

/** As OpenAI counts them: of a second that is heard, of its words, and of a character that is read aloud. */
const TOKENS = { heard: 17, written: 4, spoken: 1.4 };

/** What a call of an audio model is made for. */
export interface AudioCall extends Pick<ModelCall, "source" | "conversationId" | "messageId"> {
  actor: Actor;
  model: string;
  signal: AbortSignal;
  /** Keeps what a provider says of an error, for callers of its protocol. */
  keepReason?: <T>(attempt: (target: RouteTarget) => Promise<T>) => {
    attempt: (target: RouteTarget) => Promise<T>;
    explain: (error: unknown) => unknown;
  };
}

interface RunningCall {
  call: AudioCall;
  record: RouteRecord;
  started: number;
}

interface Ended {
  outcome: CallEnd["outcome"];
  counted: CallTokens & { estimated?: boolean };
  error?: unknown;
}

function note(
  { call, record, started }: RunningCall,
  { outcome, counted, error }: Ended,
  target?: RouteTarget,
): void {
  const { actor, model, source, conversationId, messageId } = call;
  const last = record.attempts.at(-1);
  if (!target && !last) return;
  // What the provider has answered isn't lost for a full disk.
  writeIfPossible(() =>
    transaction((tx) =>
      recordCall(tx, actor, {
        providerId: target?.providerId ?? last?.providerId ?? null,
        providerType: target?.providerType ?? last?.providerType ?? "",
        ...(target ? { pricing: target.pricing, requestedModel: target.requestedModel } : {}),
        model: target?.modelId ?? model,
        inputTokens: counted.input,
        outputTokens: counted.output,
        audioSeconds: counted.audioSeconds,
        audioTokens: counted.audioTokens,
        characters: counted.characters,
        estimated: counted.estimated,
        durationMs: performance.now() - started,
        outcome,
        errorCode: error instanceof AppError ? error.code : null,
        source,
        conversationId,
        messageId,
        tokenId: actor.tokenId,
        route: record,
      }),
    ),
  );
}

const WIRES = { transcription: "openai-transcription", speech: "openai-speech" } as const;
type AudioKind = keyof typeof WIRES;

/** @throws AppError, as the caller of the protocol should see it; the signal's reason */
async function route<T>(
  running: RunningCall,
  kind: AudioKind,
  size: (target: RouteTarget) => CallSize,
  attempt: (target: RouteTarget) => Promise<T>,
): Promise<Routed<T>> {
  const { call, record } = running;
  const { actor, model, signal } = call;
  const tried = call.keepReason?.(attempt) ?? { attempt, explain: (error: unknown) => error };
  const accepts = ({ wire }: RouteTarget) => wire[WIRES[kind]] !== undefined;
  const request = { actor, model, signal, accepts, size, isWhole: true };
  try {
    try {
      return await routeCall({ ...request, kind }, record, tried.attempt);
    } catch (error) {
      // A model that an admin entered by hand may be listed as a chat model.
      const isUnknown = error instanceof AppError && error.code === "provider_model";
      if (!isUnknown || record.attempts.length > 0) throw error;
      return await routeCall(request, record, tried.attempt);
    }
  } catch (error) {
    note(running, { outcome: signal.aborted ? "stopped" : "error", counted: {}, error });
    throw signal.aborted ? signal.reason : tried.explain(error);
  }
}

const pricedOf = (target: RouteTarget) => ({ ...target, model: target.modelId });

export const TRANSCRIPT_FORMATS = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"] as const;
type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

const isJsonFormat = (given: TranscriptFormat) => given.endsWith("json");

export interface TranscriptionInput {
  bytes: Uint8Array<ArrayBuffer>;
  /** Of the file, by which servers know its format. */
  extension: string;
  mediaType: string;
  format: TranscriptFormat;
  prompt?: string | undefined;
  /** Further fields of the form, as they were sent. */
  fields?: readonly (readonly [name: string, value: string])[];
}

export interface Transcript {
  text: string;
  /** The provider's JSON; undefined for formats of text. */
  json: Record<string, unknown> | undefined;
  target: RouteTarget;
  record: RouteRecord;
}

const Count = z.number().nonnegative().optional().catch(undefined);
const TranscriptJson = z.looseObject({
  text: z.string(),
  duration: z.coerce.number().nonnegative().optional().catch(undefined),
  usage: z
    .object({
      seconds: Count,
      input_tokens: Count,
      output_tokens: Count,
      input_token_details: z.object({ audio_tokens: Count }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** The form of one target. A text is requested as JSON, which alone has the usage. */
async function formFor(target: RouteTarget, input: TranscriptionInput) {
  const { bytes, extension, mediaType, prompt, fields = [] } = input;
  const form = new FormData();
  form.append("model", target.modelId);
  form.append("response_format", input.format === "text" ? "json" : input.format);
  if (prompt !== undefined) form.append("prompt", prompt);
  for (const [name, value] of fields) form.append(name, value);
  form.append("file", new Blob([bytes], { type: mediaType }), `recording.${extension}`);
  const encoded = new Response(form);
  const headers = { "content-type": encoded.headers.get("content-type") ?? "", accept: "*/*" };
  return { body: new Uint8Array(await encoded.arrayBuffer()), headers };
}

async function readTranscript(
  response: ProviderResponse,
  { displayName, silence }: RouteTarget,
  wanted: TranscriptFormat,
) {
  const { betweenBytesMs } = silence();
  const limits = { firstByteMs: betweenBytesMs, betweenBytesMs, max: MAX_TRANSCRIPT_BYTES };
  const bytes = await readBytes(response, limits);
  if (bytes.byteLength > MAX_TRANSCRIPT_BYTES)
    throw new AppError("provider_unavailable", `${displayName} sent a transcript of more than 2 MB.`);
  const text = bytes.toString("utf8").toWellFormed();
  if (wanted === "srt" || wanted === "vtt") return { text, json: undefined };
  try {
    const json = TranscriptJson.parse(parseJson(text, MAX_TRANSCRIPT_VALUES));
    return { text: json.text, json };
  } catch {
    // Its cause is left out: it would be reported as a fault of the caller's body.
    throw new MalformedResponse();
  }
}

function countTranscript(
  json: z.infer<typeof TranscriptJson> | undefined,
  bytes: Uint8Array,
): Ended["counted"] {
  const { usage, duration } = json ?? {};
  const seconds = usage?.seconds ?? duration;
  return {
    input: usage?.input_tokens ?? 0,
    output: usage?.output_tokens ?? 0,
    audioTokens: usage?.input_token_details?.audio_tokens,
    audioSeconds: Math.ceil(seconds ?? secondsOf(bytes)),
    estimated: seconds === undefined && usage?.input_tokens === undefined,
  };
}

/**
 * Transcribes a recording through the router, with budgets, usage and guardrails: the hint passes them as a request, the
 * transcript as an answer. Sound itself can't be checked.
 *
 * @throws AppError as `routeCall`; GuardrailRefusal
 */
export function transcribe(call: AudioCall, input: TranscriptionInput): Promise<Transcript> {
  return asOpenCall(call.signal, async (signal) => {
    const { actor, model } = call;
    assertMayCall(actor, model);
    const guard = guardCall(actor, { model, signal });
    const { prompt, fields } = input;
    const guarded = guard ? await guard.request({ prompt, fields }) : { prompt, fields };
    const running = { call: { ...call, signal }, record: newRouteRecord(), started: performance.now() };
    const seconds = secondsOf(input.bytes);
    const size = (target: RouteTarget): CallSize => {
      const tokens = isTokenPriced(actor.orgId, pricedOf(target));
      const of = (perSecond: number) => (tokens ? Math.ceil(seconds * perSecond) : 0);
      return { input: of(TOKENS.heard), output: of(TOKENS.written), audioSeconds: seconds };
    };
    const routed = await route(running, "transcription", size, async (target) => {
      const form = await formFor(target, { ...input, ...guarded });
      const path = target.wire[WIRES.transcription] ?? "";
      const response = await target.forward(path, { ...form, signal }, "non-streaming");
      return readTranscript(response, target, input.format);
    });
    const { value, target } = routed;
    const counted = countTranscript(value.json, input.bytes);
    routed.end({ outcome: "ok", tokens: counted });
    note(running, { outcome: "ok", counted }, target);
    const { text, json } = guard?.checksAnswers ? await guard.answer(value) : value;
    return { text, json: isJsonFormat(input.format) ? json : undefined, target, record: running.record };
  });
}

export interface SpeechInput {
  input: string;
  voice: unknown;
  /** Further members of the request, as they were sent. */
  further?: Record<string, unknown>;
}

export interface Speech {
  /** As the provider says, always of a sound. */
  mediaType: string;
  bytes: Readable;
  target: RouteTarget;
  record: RouteRecord;
}

const SOUND = /^(?:audio\/[\w.+-]{1,60}|application\/octet-stream)$/;

async function openSpeech(target: RouteTarget, body: object, signal: AbortSignal) {
  const path = target.wire[WIRES.speech] ?? "";
  const request = { body: JSON.stringify(body), headers: { accept: "*/*" }, signal };
  const response = await target.forward(path, request, "non-streaming");
  const { contentType } = response;
  if (!SOUND.test(contentType)) {
    response.discard();
    throw new AppError("provider_unavailable", `${target.displayName} sent no sound.`);
  }
  const { betweenBytesMs } = target.silence();
  const stream = await openBody(response, { firstByteMs: betweenBytesMs, betweenBytesMs });
  if (!stream) throw new AppError("provider_unavailable", `${target.displayName} sent an empty sound.`);
  return { mediaType: contentType, reader: stream.getReader() };
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** The bytes as they come. @param settle is called once, whether or not they are read to their end */
function readableOf(reader: Reader, signal: AbortSignal, settle: (error: unknown, isWhole: boolean) => void) {
  let isWhole = false;
  const readable = new Readable({
    read() {
      reader.read().then(
        ({ value, done }) => {
          isWhole = done;
          readable.push(done ? null : value);
        },
        (error: unknown) => readable.destroy(error as Error),
      );
    },
    destroy(error, done) {
      release();
      reader.cancel().catch(() => undefined);
      settle(error, isWhole);
      done(error);
    },
  });
  const release = onAbort(signal, (reason) => readable.destroy(reason as Error));
  // Who reads it gets the error; without a reader it mustn't end the process.
  readable.on("error", () => undefined);
  return readable;
}

async function runSpeech(
  call: AudioCall,
  { input, voice, further }: SpeechInput,
  answer: (speech: Speech) => void,
): Promise<void> {
  const { actor, model, signal } = call;
  assertMayCall(actor, model);
  const guard = guardCall(actor, { model, signal });
  const request = { input, ...further };
  const guarded = guard ? await guard.request(request) : request;
  const running = { call, record: newRouteRecord(), started: performance.now() };
  const characters = guarded.input.length;
  const countFor = (target: RouteTarget) => {
    if (!isTokenPriced(actor.orgId, pricedOf(target))) return { input: 0, output: 0, characters };
    const output = Math.ceil(characters * TOKENS.spoken);
    return { input: tokensIn(guarded.input), output, characters, estimated: true };
  };
  const routed = await route(running, "speech", countFor, (target) =>
    openSpeech(target, { ...guarded, voice, model: target.modelId }, signal),
  );
  const { value, target } = routed;
  const bytes = readableOf(value.reader, signal, (error, isWhole) => {
    const outcome = isWhole ? "ok" : error && !signal.aborted ? "error" : "stopped";
    const counted = countFor(target);
    routed.end({ outcome, tokens: counted, error: error ?? undefined });
    note(running, { outcome, counted, error }, target);
  });
  answer({ mediaType: value.mediaType, bytes, target, record: running.record });
  await finished(bytes).catch(() => undefined);
}

/**
 * Reads a text aloud through the router, with budgets, usage and guardrails. The sound comes as it is made, and counts
 * even if nobody listens to its end. It ends with the call's signal.
 *
 * @throws AppError as `routeCall`; GuardrailRefusal
 */
export function speak(call: AudioCall, input: SpeechInput): Promise<Speech> {
  return new Promise((answer, fail) => {
    asOpenCall(call.signal, (signal) => runSpeech({ ...call, signal }, input, answer)).catch(fail);
  });
}

/** Models of a kind that the person may call and that aren't hidden, the default provider's first. */
export function listAudioModels(actor: Actor, kind: AudioKind & ModelKind): string[] {
  const isAllowed = allowedModels(actor);
  return availableModels(actor.orgId)
    .filter((one) => one.kind === kind && !one.hidden && isAllowed(one.id))
    .filter(({ provider: { type, config } }) => (type.wireFor?.(config) ?? type.wire)[WIRES[kind]])
    .map(({ id }) => id);
}
