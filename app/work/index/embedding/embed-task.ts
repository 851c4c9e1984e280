import { z } from "zod";
import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";
import { MAX_DIMENSIONS } from "./embedder";
import { embedLexically, LEXICAL_DIMENSIONS } from "./lexical-embedder";

export const EmbedTask = z.discriminatedUnion("work", [
  z.object({ work: z.literal("embed"), texts: z.array(z.string()) }),
  z.object({
    work: z.literal("read"),
    bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
    count: z.number().int(),
  }),
]);
export type EmbedTask = z.infer<typeof EmbedTask>;

export const EmbedOutput = z.object({
  values: z.instanceof(Float32Array),
  dimensions: z.number().int(),
  tokens: z.number().optional(),
});

export function embed(task: EmbedTask): Vectors {
  if (task.work === "read") return readVectors(task.bytes, task.count);
  const values = new Float32Array(task.texts.length * LEXICAL_DIMENSIONS);
  for (const [index, text] of task.texts.entries())
    values.set(embedLexically(text), index * LEXICAL_DIMENSIONS);
  return { values, dimensions: LEXICAL_DIMENSIONS, tokens: undefined };
}

/** Concatenated vectors of length 1. */
export interface Vectors {
  values: Float32Array;
  dimensions: number;
  tokens: number | undefined;
}

const EmbeddingsResponse = z.looseObject({
  data: z.array(z.looseObject({ index: z.number().int().optional(), embedding: z.unknown() })),
  usage: z.looseObject({ prompt_tokens: z.number().nonnegative().optional().catch(undefined) }).optional(),
});

/** Accepts numbers, or OpenAI's base64 of little-endian float32. */
function toNumbers(embedding: unknown): ArrayLike<number> {
  if (typeof embedding === "string") {
    const bytes = Buffer.from(embedding, "base64");
    if (bytes.length === 0 || bytes.length % 4 !== 0)
      throw new AppError("invalid", "a base64 vector of invalid length");
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return Float32Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(index * 4, true));
  }
  if (Array.isArray(embedding)) return embedding;
  throw new AppError("invalid", "an invalid vector");
}

function writeNormalized(from: ArrayLike<number>, to: Float32Array): void {
  let squares = 0;
  for (let index = 0; index < from.length; index++) {
    const value = from[index];
    if (typeof value !== "number" || !Number.isFinite(value))
      throw new AppError("invalid", "a vector with invalid numbers");
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  if (length === 0 || !Number.isFinite(length)) throw new AppError("invalid", "a zero vector");
  for (let index = 0; index < from.length; index++) to[index] = (from[index] ?? 0) / length;
}

/**
 * Parses an embeddings response: one finite vector per text, in order and of equal length.
 * @throws Error that continues the sentence "the embedder sent …"
 */
function readVectors(bytes: Uint8Array, count: number): Vectors {
  let body: unknown;
  try {
    body = parseWellFormed(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new AppError("invalid", "a response that isn't JSON");
  }
  const response = EmbeddingsResponse.safeParse(body);
  if (!response.success) throw new AppError("invalid", "a response without embeddings");
  const { data, usage } = response.data;
  if (data.length !== count) throw new AppError("invalid", `${data.length} vectors for ${count} texts`);
  const ordered = new Array<ArrayLike<number> | undefined>(count);
  for (const [position, { index = position, embedding }] of data.entries()) {
    if (index < 0 || index >= count || ordered[index])
      throw new AppError("invalid", "vectors without a clear order");
    ordered[index] = toNumbers(embedding);
  }
  const dimensions = ordered[0]?.length ?? 0;
  if (dimensions === 0) throw new AppError("invalid", "an empty vector");
  if (dimensions > MAX_DIMENSIONS)
    throw new AppError(
      "invalid",
      `vectors of ${dimensions} dimensions; at most ${MAX_DIMENSIONS} are supported`,
    );
  const values = new Float32Array(count * dimensions);
  for (const [index, vector] of ordered.entries()) {
    if (vector?.length !== dimensions) throw new AppError("invalid", "vectors of different lengths");
    writeNormalized(vector, values.subarray(index * dimensions, (index + 1) * dimensions));
  }
  return { values, dimensions, tokens: usage?.prompt_tokens };
}
