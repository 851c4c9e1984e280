import { z } from "zod";
import { AppError } from "~/core/errors";
import { PROTOCOL_NAMES } from "../protocols/index";
import { pickTranslatable } from "./for-translation";
import { inspect } from "./inspect";
import { readNonStreamingResponse } from "./non-streaming-response";

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

export const BodyTask = z.object({
  work: z.enum(["check", "request", "response"]),
  protocol: z.enum(PROTOCOL_NAMES),
  bytes: Bytes,
  /** Whether a response's vectors are requested as base64. */
  inBase64: z.boolean(),
});
export type BodyTask = z.infer<typeof BodyTask>;

const Tokens = z.object({
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  cacheReadTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
});

/** Includes refusals, since a pool's errors have no code or fields. */
export const BodyResult = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("checked"),
    envelope: z.object({
      model: z.string(),
      stream: z.boolean(),
      showsUsage: z.boolean(),
      inBase64: z.boolean(),
      maxOutput: z.number().optional(),
      changes: z.record(z.string(), z.string()),
    }),
    pieces: z.array(Bytes),
  }),
  z.object({ kind: z.literal("request"), request: z.unknown() }),
  z.object({ kind: z.literal("response"), usage: Tokens, body: Bytes.optional() }),
  z.object({ kind: z.literal("error"), error: z.unknown() }),
  z.object({ kind: z.literal("broken") }),
  z.object({
    kind: z.literal("refused"),
    code: z.enum(["invalid", "too_large"]),
    message: z.string(),
    fields: z.record(z.string(), z.array(z.string())),
  }),
]);
export type BodyResult = z.infer<typeof BodyResult>;

export function runBodyTask({ work, protocol, bytes, inBase64 }: BodyTask): BodyResult {
  if (work === "response") {
    const response = readNonStreamingResponse(protocol, bytes, inBase64);
    // The caller already has an unchanged body.
    return response.kind === "response" && response.body === bytes
      ? { kind: "response", usage: response.usage }
      : response;
  }
  try {
    const { envelope, request, pieces } = inspect(protocol, bytes);
    if (work === "request") return { kind: "request", request: pickTranslatable(protocol, request) };
    return { kind: "checked", envelope, pieces: pieces.map((piece) => new TextEncoder().encode(piece)) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const code = error.code === "too_large" ? "too_large" : "invalid";
    return { kind: "refused", code, message: error.message, fields: error.fields ?? {} };
  }
}
