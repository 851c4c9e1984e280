import { z } from "zod";

/** What of a document is read for its text, in bytes; the rest is left out. */
export const EXTRACTED_BYTES = 2_000_000;

/** A document from the web, as it goes to the worker thread. */
export const ExtractInput = z.object({
  bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  /** The Content-Type header, as it came. */
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
