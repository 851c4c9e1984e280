import type { SharedV3ProviderMetadata } from "@ai-sdk/provider";
import { z } from "zod";

export type ProviderMetadata = SharedV3ProviderMetadata;

/** By adapter; what has been JSON, so that a cast may say so. */
const Metadata = z.record(z.string(), z.record(z.string(), z.unknown())) as z.ZodType<ProviderMetadata>;

/**
 * What a model's provider wants to see again of a step: signatures, encrypted reasoning, the field that reasoning came in.
 * Kept on the server, beside the answer.
 */
export const StepState = z.object({
  /** From 1. */
  step: z.number().int(),
  /** `RouteTarget.writtenBy`: nobody else understands it. */
  writtenBy: z.string(),
  /** By the position of the part within the step, from 0. */
  parts: z.record(z.string(), Metadata),
  /** Of the step as a whole. */
  message: Metadata.optional(),
});
export type StepState = z.infer<typeof StepState>;

/** The same with the thoughts themselves, for a program that brings it along with its next call. */
export const KeptStep = z.object({
  writtenBy: z.string(),
  parts: z.array(
    z.object({
      kind: z.enum(["text", "reasoning", "tool"]),
      /** The call's, for a tool. */
      id: z.string(),
      text: z.string(),
      metadata: Metadata,
    }),
  ),
  message: Metadata.optional(),
});
export type KeptStep = z.infer<typeof KeptStep>;
