import type { SharedV3ProviderOptions } from "@ai-sdk/provider";

/** Google's own mapping of OpenAI's efforts to thinking tokens. */
const GOOGLE_BUDGET: Record<string, number> = {
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};
const ANTHROPIC_EFFORT: Record<string, string> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};

/** Reasoning effort per adapter, omitted where there is no counterpart. */
export function effortOptions(effort: string | null | undefined): SharedV3ProviderOptions {
  if (!effort) return {};
  const anthropic = ANTHROPIC_EFFORT[effort];
  const google = GOOGLE_BUDGET[effort];
  return {
    openai: { reasoningEffort: effort },
    openaiCompatible: { reasoningEffort: effort },
    ...(anthropic ? { anthropic: { effort: anthropic } } : {}),
    ...(google ? { google: { thinkingConfig: { thinkingBudget: google } } } : {}),
  };
}
