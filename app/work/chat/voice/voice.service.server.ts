import { Readable } from "node:stream";
import { allowedModels } from "~/ai/models/models.service.server";
import {
  type AudioFormat,
  audioFormat,
  listAudioModels,
  type Speech,
  speak,
  transcribe,
  withRecording,
} from "~/ai/models/voice.service.server";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import type { MultipartPart } from "~/platform/endpoint/endpoint.shared";
import { authorise } from "~/platform/rights/authorization.server";
import { readSettings } from "~/platform/settings/settings.service.server";
import { textOf } from "../answer-state.shared";
import { findConversation, findMessage } from "../chat.repo.server";
import { MessagePart } from "../chat.schema";
import { spokenPieces, spokenText } from "./spoken-text.shared";

/** Of an answer that is read aloud, in characters; more is cut off. */
const MAX_READ = 50_000;

function modelFor(actor: Actor, kind: "transcription" | "speech"): string | undefined {
  const { transcriptionModel, speechModel } = readSettings(actor.orgId, "ai");
  const chosen = kind === "speech" ? speechModel : transcriptionModel;
  if (chosen === "") return listAudioModels(actor, kind)[0];
  return allowedModels(actor)(chosen) ? chosen : undefined;
}

/** What of voice goes through providers; for the rest browsers have their own. */
export const offeredVoice = (actor: Actor) => ({
  dictates: modelFor(actor, "transcription") !== undefined,
  speaks: modelFor(actor, "speech") !== undefined,
});

const missing = (what: string) =>
  new AppError("provider_model", `No model ${what}. An admin can add one under Settings › Providers.`);

/** @throws AppError `provider_model` without a model for it, and as `transcribe` */
export async function transcribeSpeech(
  actor: Actor,
  bytes: Uint8Array<ArrayBuffer>,
  format: AudioFormat,
  signal: AbortSignal,
): Promise<string> {
  const model = modelFor(actor, "transcription");
  if (model === undefined) throw missing("transcribes recordings");
  const call = { actor, model, signal, source: { source: "chat" as const } };
  const { text } = await transcribe(call, { bytes, ...format, format: "json" });
  return text.trim();
}

/** @throws AppError `unsupported_media` for what isn't a recording, and as `transcribeSpeech` */
export function dictate(
  actor: Actor,
  parts: AsyncIterable<MultipartPart>,
  signal: AbortSignal,
): Promise<{ text: string }> {
  authorise(actor, "chat.use");
  return withRecording(soundIn(parts), async (bytes) => {
    const format = audioFormat(bytes);
    if (!format)
      throw new AppError("unsupported_media", "Send a recording as FLAC, M4A, MP3, MP4, OGG, WAV or WebM.");
    return { text: await transcribeSpeech(actor, bytes, format, signal) };
  });
}

async function* soundIn(parts: AsyncIterable<MultipartPart>): AsyncGenerator<Uint8Array> {
  for await (const part of parts) if (part.kind === "file") yield* part.bytes;
}

function piecesOf(actor: Actor, conversationId: string, messageId: string): string[] {
  const conversation = findConversation(db(), actor, conversationId);
  const message = conversation && findMessage(db(), conversation.id, messageId);
  if (message?.role !== "assistant" || message.status === "streaming")
    throw new AppError("not_found", "Answer not found.");
  const text = textOf(MessagePart.array().parse(message.parts)).slice(0, MAX_READ);
  const pieces = spokenPieces(spokenText(text));
  if (pieces.length === 0) throw new AppError("unprocessable", "This answer has no text to read aloud.");
  return pieces;
}

/** The sounds of all pieces, one after the other, as players take them in MP3. */
async function* joined(first: Readable, rest: readonly string[], next: (piece: string) => Promise<Speech>) {
  yield* first;
  for (const piece of rest) yield* (await next(piece)).bytes;
}

/**
 * Reads an answer aloud.
 *
 * @param part of its pieces; all of them if undefined
 * @throws AppError `not_found`, `provider_model`, and as `speak`
 */
export async function readAloud(
  actor: Actor,
  {
    conversationId,
    messageId,
    part,
  }: { conversationId: string; messageId: string; part: number | undefined },
  signal: AbortSignal,
): Promise<{ mediaType: string; bytes: Readable; pieces: number }> {
  authorise(actor, "chat.use");
  const pieces = piecesOf(actor, conversationId, messageId);
  const model = modelFor(actor, "speech");
  if (model === undefined) throw missing("reads texts aloud");
  const [first, ...rest] = part === undefined ? pieces : pieces.slice(part, part + 1);
  if (first === undefined) throw new AppError("not_found", "The answer has no such piece.");
  const voice = readSettings(actor.orgId, "ai").speechVoice;
  const call = { actor, model, signal, source: { source: "chat" as const, conversationId, messageId } };
  const next = (input: string) => speak(call, { input, voice, further: { response_format: "mp3" } });
  const { mediaType, bytes } = await next(first);
  if (rest.length === 0) return { mediaType, bytes, pieces: pieces.length };
  const all = Readable.from(joined(bytes, rest, next), { objectMode: false });
  all.on("error", () => undefined);
  return { mediaType, bytes: all, pieces: pieces.length };
}
