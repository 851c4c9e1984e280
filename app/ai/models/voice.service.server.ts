import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { z } from "zod";
import { guardCall } from "~/ai/guardrails/guardrails.service.server";
import { onAbort } from "~/core/abort";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { asOpenCall } from "~/core/open-calls.server";
import {
  type CallSource,
  type Counted,
  callRecorded,
  type OpenedCall,
  openRecorded,
  type RecordedRequest,
} from "./call-recorded.server";
import { tokensIn } from "./counted-usage";
import { listModelsOfKind } from "./model-offers.service.server";
import { isTokenPriced } from "./pricing.service.server";
import { openBody } from "./provider-client.service.server";
import { secondsOf } from "./recording.server";
import { assertMayCall } from "./router/model-access.server";
import type { CallSize } from "./router/spending.server";
import type { RouteTarget } from "./router/targets.server";
import { encodeForm, parseWhole, readWhole } from "./whole-response.server";

export { type AudioFormat, audioFormat, MAX_RECORDING_BYTES, withRecording } from "./recording.server";

/** Of a transcript with its times, in bytes. */
const MAX_TRANSCRIPT_BYTES = 2 * 1024 * 1024;
/** Values of a transcript in JSON; each word may have its times. */
const MAX_TRANSCRIPT_VALUES = 200_000;

/** As OpenAI counts them: of a second that is heard, of its words, and of a character that is read aloud. */
const TOKENS = { heard: 17, written: 4, spoken: 1.4 };

const WIRES = { transcription: "openai-transcription", speech: "openai-speech" } as const;
type AudioKind = keyof typeof WIRES;

/** What a call of an audio model is made for. */
export interface AudioCall extends Pick<RecordedRequest, "actor" | "model" | "signal" | "keepReason"> {
  source: CallSource;
}

const requestFor = (
  { source: _, ...call }: AudioCall,
  kind: AudioKind,
  size: (target: RouteTarget) => CallSize,
): RecordedRequest => ({
  ...call,
  kind,
  accepts: ({ wire }) => wire[WIRES[kind]] !== undefined,
  size,
  isWhole: true,
});

const isPricedByTokens = ({ actor }: AudioCall, target: RouteTarget): boolean =>
  isTokenPriced(actor.orgId, { ...target, model: target.modelId });

export const TRANSCRIPT_FORMATS = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"] as const;
type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

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

const Count = z.number().nonnegative().optional().catch(undefined);
const TranscriptJson = z.looseObject({
  text: z.string(),
  /** Some servers send it as a text. */
  duration: z.unknown().optional(),
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

interface Transcript {
  text: string;
  /** The provider's JSON; undefined for formats of text. */
  json: z.infer<typeof TranscriptJson> | undefined;
}

/** The form of one target. A text is requested as JSON, which alone has the usage. */
function formFor(target: RouteTarget, input: TranscriptionInput): FormData {
  const { bytes, extension, mediaType, format, prompt, fields = [] } = input;
  const form = new FormData();
  form.append("model", target.modelId);
  form.append("response_format", format === "text" ? "json" : format);
  if (prompt !== undefined) form.append("prompt", prompt);
  for (const [name, value] of fields) form.append(name, value);
  form.append("file", new Blob([bytes], { type: mediaType }), `recording.${extension}`);
  return form;
}

function readTranscript(text: string, format: TranscriptFormat): Transcript {
  if (format === "srt" || format === "vtt") return { text, json: undefined };
  const json = parseWhole(TranscriptJson, text, MAX_TRANSCRIPT_VALUES);
  return { text: json.text, json };
}

/** Words, their probabilities and a model's tokens say again what the guardrails have changed in the text. */
function withoutRepetitions(json: Transcript["json"]): Transcript["json"] {
  if (!json) return undefined;
  const { words: _, logprobs: __, segments, ...rest } = json;
  if (!Array.isArray(segments)) return rest;
  return {
    ...rest,
    segments: segments.map((segment) => ({ ...segment, tokens: undefined, words: undefined })),
  };
}

/**
 * Transcribes a recording through the router, with budgets, usage and guardrails: the hint passes them as a request, the
 * transcript as an answer. Sound itself can't be checked.
 *
 * @throws AppError as `callRecorded`; GuardrailRefusal
 */
export function transcribe(
  given: AudioCall,
  input: TranscriptionInput,
): Promise<Transcript & Pick<OpenedCall<unknown>, "target" | "record">> {
  return asOpenCall(given.signal, async (signal) => {
    const call = { ...given, signal };
    const { actor, model, source } = call;
    assertMayCall(actor, model);
    const guard = guardCall(actor, { model, signal });
    const { prompt, fields } = input;
    const guarded = guard ? await guard.request({ prompt, fields }) : { prompt, fields };
    const length = secondsOf(input.bytes);
    const sizeOf = (target: RouteTarget) => {
      const of = (perSecond: number) => (isPricedByTokens(call, target) ? Math.ceil(length * perSecond) : 0);
      return { input: of(TOKENS.heard), output: of(TOKENS.written), audioSeconds: length };
    };
    const countedOf = ({ json }: Transcript, target: RouteTarget): Counted => {
      const { usage, duration } = json ?? {};
      const seconds = usage?.seconds ?? (Number(duration) > 0 ? Number(duration) : undefined);
      const audioTokens = usage?.input_token_details?.audio_tokens;
      const estimated = seconds === undefined && usage?.input_tokens === undefined;
      if (estimated) return { ...sizeOf(target), estimated };
      const { input_tokens = 0, output_tokens = 0 } = usage ?? {};
      const audioSeconds = Math.ceil(seconds ?? length);
      return { input: input_tokens, output: output_tokens, audioTokens, audioSeconds };
    };
    const { value, ...answered } = await callRecorded(
      requestFor(call, "transcription", sizeOf),
      async (target, either) => {
        const form = await encodeForm(formFor(target, { ...input, ...guarded }));
        const request = { body: form.body, headers: { ...form.headers, accept: "*/*" }, signal: either };
        const response = await target.forward(
          target.wire[WIRES.transcription] ?? "",
          request,
          "non-streaming",
        );
        const bytes = await readWhole(response, target, MAX_TRANSCRIPT_BYTES);
        return readTranscript(bytes.toString("utf8").toWellFormed(), input.format);
      },
      countedOf,
      source,
    );
    if (!guard?.checksAnswers) return { ...value, ...answered };
    const { text, json } = await guard.answer(value);
    return { text, json: text === value.text ? json : withoutRepetitions(json), ...answered };
  });
}

export interface SpeechInput {
  input: string;
  voice: unknown;
  /** Further members of the request, as they were sent. */
  further?: Record<string, unknown>;
}

export interface Speech extends Pick<OpenedCall<unknown>, "target" | "record"> {
  /** As the provider says, always of a sound. */
  mediaType: string;
  bytes: Readable;
}

const SOUND = /^(?:audio\/[\w.+-]{1,60}|application\/octet-stream)$/;

async function openSpeech(target: RouteTarget, body: object, signal: AbortSignal) {
  const request = { body: JSON.stringify(body), headers: { accept: "*/*" }, signal };
  const response = await target.forward(target.wire[WIRES.speech] ?? "", request, "non-streaming");
  const { contentType: mediaType } = response;
  if (!SOUND.test(mediaType)) {
    response.discard();
    throw new AppError("provider_unavailable", `${target.displayName} sent no sound.`);
  }
  const { betweenBytesMs } = target.silence();
  const stream = await openBody(response, { firstByteMs: betweenBytesMs, betweenBytesMs });
  if (!stream) throw new AppError("provider_unavailable", `${target.displayName} sent an empty sound.`);
  return { mediaType, reader: stream.getReader() };
}

/** The bytes as they come. They end with the signal; the egress guard says how many they may be. */
function readableOf(reader: ReadableStreamDefaultReader<Uint8Array>, signal: AbortSignal): Readable {
  const readable = new Readable({
    read() {
      reader.read().then(
        ({ value, done }) => readable.push(done ? null : value),
        (error: Error) => readable.destroy(error),
      );
    },
    destroy(error, done) {
      reader.cancel().catch(() => undefined);
      done(error);
    },
  });
  onAbort(signal, (reason) => readable.destroy(reason as Error));
  return readable;
}

async function runSpeech(
  call: AudioCall,
  { further, ...spoken }: SpeechInput,
  answer: (speech: Speech) => void,
): Promise<void> {
  const { actor, model, signal, source } = call;
  assertMayCall(actor, model);
  const guard = guardCall(actor, { model, signal });
  const sent = { ...further, ...spoken };
  const guarded = guard ? await guard.request(sent) : sent;
  const characters = guarded.input.length;
  const countFor = (target: RouteTarget) => {
    if (!isPricedByTokens(call, target)) return { input: 0, output: 0, characters };
    const output = Math.ceil(characters * TOKENS.spoken);
    return { input: tokensIn(guarded.input), output, characters, estimated: true };
  };
  const opened = await openRecorded(
    requestFor(call, "speech", countFor),
    (target) => openSpeech(target, { ...guarded, model: target.modelId }, signal),
    source,
  );
  const { value, target, record, end } = opened;
  const bytes = readableOf(value.reader, signal);
  answer({ mediaType: value.mediaType, bytes, target, record });
  let error: unknown;
  await finished(bytes).catch((thrown: unknown) => {
    error = thrown;
  });
  const isLeft = signal.aborted || (error as NodeJS.ErrnoException)?.code === "ERR_STREAM_PREMATURE_CLOSE";
  const outcome = error === undefined ? "ok" : isLeft ? "stopped" : "error";
  end({ outcome, error }, countFor(target));
}

/**
 * Reads a text aloud through the router, with budgets, usage and guardrails. The sound comes as it is made, and counts
 * even if nobody listens to its end. It ends with the call's signal.
 *
 * @throws AppError as `openRecorded`; GuardrailRefusal
 */
export function speak(call: AudioCall, input: SpeechInput): Promise<Speech> {
  return new Promise((answer, fail) => {
    asOpenCall(call.signal, (signal) => runSpeech({ ...call, signal }, input, answer)).catch(fail);
  });
}

/** Models that the person may call and that aren't hidden, the default provider's first. */
export const listAudioModels = (actor: Actor, kind: AudioKind): string[] =>
  listModelsOfKind(actor, kind, WIRES[kind]);
