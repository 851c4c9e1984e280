import { z } from "zod";
import type { RouteTarget } from "~/ai/models/models.service.server";
import {
  type AudioCall,
  audioFormat,
  MAX_RECORDING_BYTES,
  speak,
  TRANSCRIPT_FORMATS,
  transcribe,
  withRecording,
} from "~/ai/models/voice.service.server";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { type Answer, bytes, type MultipartPart, reply, stream } from "~/platform/endpoint/endpoint.shared";
import { assertWithinRate, type GatewayCall, routeHeaders } from "./calls.server";
import { parseRequest } from "./protocols/content";
import { ModelId } from "./protocols/content.schema";
import { keepRefusal } from "./provider-reason";

/** Of a text that is read aloud, in characters; providers often take less. */
const MAX_SPOKEN = 20_000;

const isUnset = (value: unknown) => value === undefined || value === null || value === "false";

/** Fields of the form; further ones are kept for the provider. */
export const TranscriptionForm = z.looseObject({
  file: z
    .string()
    .meta({ format: "binary" })
    .describe(`FLAC, M4A, MP3, MP4, OGG, WAV or WebM, up to ${MAX_RECORDING_BYTES / 1_000_000} MB`),
  model: ModelId,
  response_format: z.enum(TRANSCRIPT_FORMATS).default("json"),
  prompt: z.string().max(10_000).optional().describe("Names and words that occur"),
  language: z.string().max(20).optional().describe("Such as `en`"),
});

const SentFields = TranscriptionForm.omit({ file: true }).extend({
  stream: z.unknown().optional().refine(isUnset, "Transcripts aren't streamed. Leave it out."),
});

export const TranscriptionUpload = {
  maxBytes: MAX_RECORDING_BYTES + 1_000_000,
  fileBytes: MAX_RECORDING_BYTES + 1,
  files: 2,
  fieldBytes: 100_000,
};

/** Unknown members are kept for the provider. */
export const SpeechRequest = z.looseObject({
  model: ModelId,
  input: z
    .string("The text must be a string.")
    .min(1, "The text is empty.")
    .max(MAX_SPOKEN, `At most ${MAX_SPOKEN.toLocaleString("en-US")} characters can be read at once.`),
  voice: z.union([z.string().max(200), z.looseObject({})]).describe("A name of the provider's"),
  response_format: z.string().max(20).optional().describe("`mp3` at most providers by default"),
  stream_format: z
    .string()
    .max(20)
    .optional()
    .refine((given) => given !== "sse", "Events aren't supported. Leave it out for the sound itself."),
});
type SpeechRequest = z.infer<typeof SpeechRequest>;

interface SentFile {
  contentType: string;
  fileName: string;
}

interface SentForm {
  fields: [name: string, value: string][];
  file?: SentFile;
}

/** The bytes of the form's one file; what else it has goes into `form`. */
async function* readForm(parts: AsyncIterable<MultipartPart>, form: SentForm): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    if (part.kind === "field") {
      if (!/^[\w[\]]{1,60}$/.test(part.name))
        throw new AppError("invalid", "A field of the form has a name that no call has.");
      form.fields.push([part.name, part.value]);
    } else if (part.name !== "file" || form.file)
      throw new AppError("invalid", "Send one recording, as `file`.", { fields: { file: ["Send one"] } });
    else {
      form.file = part;
      yield* part.bytes;
    }
  }
}

const READ_HERE = new Set(["file", "model", "response_format", "prompt", "stream"]);

/** By its first bytes, else as the caller says, since servers read formats that the console doesn't know. */
function formatOf(sent: Uint8Array, { fileName, contentType }: SentFile) {
  const known = audioFormat(sent);
  if (known) return known;
  const extension = /\.(\w{1,10})$/.exec(fileName)?.[1]?.toLowerCase() ?? "bin";
  return { extension, mediaType: /^audio\/[\w.+-]{1,60}$/.test(contentType) ? contentType : "audio/unknown" };
}

const callOf = (
  actor: Actor,
  model: string,
  signal: AbortSignal,
  protocol: keyof RouteTarget["wire"],
): AudioCall => ({
  actor,
  model,
  signal,
  source: { source: "gateway" },
  keepReason: (attempt) => keepRefusal(protocol, attempt),
});

type UploadCall = GatewayCall & { parts(): AsyncIterable<MultipartPart> };

/** @throws AppError in the caller's protocol */
export function transcribeUpload({ actor, parts, signal }: UploadCall): Promise<Answer> {
  assertWithinRate(actor);
  const form: SentForm = { fields: [] };
  return withRecording(readForm(parts(), form), async (recording) => {
    const { file, fields } = form;
    if (!file) throw new AppError("invalid", "Send a recording, as `file`.");
    const sent = parseRequest(SentFields, Object.fromEntries(fields));
    const { text, json, target, record } = await transcribe(
      callOf(actor, sent.model, signal, "openai-transcription"),
      {
        bytes: recording,
        ...formatOf(recording, file),
        format: sent.response_format,
        prompt: sent.prompt,
        fields: fields.filter(([name]) => !READ_HERE.has(name)),
      },
    );
    const headers = routeHeaders(record, target);
    return sent.response_format.endsWith("json")
      ? reply(json, { headers })
      : bytes("text/plain; charset=utf-8", `${text}\n`, headers);
  });
}

/** @throws AppError in the caller's protocol before the sound begins; later failures break it off */
export async function speakText({
  actor,
  body,
  signal,
}: GatewayCall & { body: SpeechRequest }): Promise<Answer> {
  assertWithinRate(actor);
  const { model, input, voice, ...further } = body;
  const speech = await speak(callOf(actor, model, signal, "openai-speech"), { input, voice, further });
  return stream(speech.mediaType, speech.bytes, routeHeaders(speech.record, speech.target));
}
