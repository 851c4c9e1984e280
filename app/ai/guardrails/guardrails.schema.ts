import { z } from "zod";
import { guardrails } from "~/platform/settings/groups/guardrails.schema";
import { GUARDRAIL_RULES } from "./rules.shared";

export const GuardrailsInput = guardrails.patch;
export type GuardrailsInput = z.infer<typeof GuardrailsInput>;

export const GuardrailCount = z.object({
  rule: z.enum(GUARDRAIL_RULES),
  refused: z.int().describe("Calls that it refused"),
  masked: z.int().describe("Calls in which it masked something"),
});
export type GuardrailCount = z.infer<typeof GuardrailCount>;

export const Guardrails = z.object({
  settings: guardrails.values,
  version: z.int().describe("Number of saves"),
  last30Days: z.array(GuardrailCount),
});
export type Guardrails = z.infer<typeof Guardrails>;

export const GuardrailTestInput = z.object({
  text: z.string("Enter a text").trim().min(1, "Enter a text").max(20_000, "Use at most 20,000 characters"),
});

export const GuardrailTest = z.object({
  refused: z
    .string()
    .nullable()
    .describe("Why a request with the text would be refused; null if it wouldn't"),
  sent: z.string().nullable().describe("What a model would receive; null if it is refused"),
});
export type GuardrailTest = z.infer<typeof GuardrailTest>;
