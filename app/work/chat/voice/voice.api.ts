import { z } from "zod";
import { MAX_RECORDING_BYTES } from "~/ai/models/voice.service.server";
import { endpoint, endpoints, stream } from "~/platform/endpoint/endpoint.shared";
import { dictate, readAloud } from "./voice.service.server";

const BUDGET_USED_UP = 402;

/** Ends the name of a file with a sound; what was asked for if its provider doesn't say. */
const extensionOf = (mediaType: string): string =>
  /^audio\/(?:x-)?(wav|flac|aac|ogg|opus)$/.exec(mediaType)?.[1] ?? "mp3";

export const voiceApi = endpoints("Chat", [
  endpoint({
    method: "POST",
    path: "/api/ai/transcriptions",
    summary: "Transcribe a recording",
    description:
      "A multipart form with one `file`: FLAC, M4A, MP3, MP4, OGG, WAV or WebM. Nothing is stored.",
    access: "chat.use",
    refusals: [BUDGET_USED_UP],
    form: z.object({
      file: z
        .string()
        .meta({ format: "binary" })
        .describe(`Up to ${MAX_RECORDING_BYTES / 1_000_000} MB`),
    }),
    upload: { maxBytes: MAX_RECORDING_BYTES + 100_000, fileBytes: MAX_RECORDING_BYTES + 1, files: 1 },
    response: z.object({ text: z.string() }),
    handle: ({ actor, parts, signal }) => dictate(actor, parts(), signal),
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/conversations/{conversation}/messages/{message}/speech",
    summary: "Read an answer aloud",
    description:
      "A file that is sent as it is made; it costs what its model does, each time. `part` names one of its pieces, which `X-Speech-Parts` counts.",
    access: "chat.use",
    refusals: [BUDGET_USED_UP],
    params: z.object({ conversation: z.string().max(100), message: z.string().max(100) }),
    query: z.object({ part: z.coerce.number().int().min(0).max(1000).optional() }),
    produces: "audio/mpeg",
    handle: async ({ actor, params, query: { part }, signal }) => {
      const { conversation: conversationId, message: messageId } = params;
      const { mediaType, bytes, pieces } = await readAloud(
        actor,
        { conversationId, messageId, part },
        signal,
      );
      // A page that plays it would ask for it twice, and each call costs.
      const disposition = `attachment; filename="answer.${extensionOf(mediaType)}"`;
      return stream(mediaType, bytes, {
        "Content-Disposition": disposition,
        "X-Speech-Parts": String(pieces),
      });
    },
  }),
]);
