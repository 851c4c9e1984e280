import { z } from "zod";

/** In bytes; the rest is ignored. */
export const EXTRACTED_BYTES = 2_000_000;

/** Input of the worker. */
export const ExtractInput = z.object({
  bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  /** As received. */
  contentType: z.string(),
});
export type ExtractInput = z.infer<typeof ExtractInput>;

export const ExtractOutput = z.object({
  title: z.string(),
  text: z.string(),
  byline: z.string().optional(),
  language: z.string().optional(),
});
export type ExtractOutput = z.infer<typeof ExtractOutput>;
