import { z } from "zod";
import { embedLexically, LEXICAL_DIMENSIONS } from "./lexical-embedder";
import { readVectors, type Vectors } from "./read-vectors";

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
