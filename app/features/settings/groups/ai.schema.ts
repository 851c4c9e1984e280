import { choice, number, toggle } from "./field.schema";
import { defineGroup } from "./group.schema";

export const ai = defineGroup({
  id: "ai",
  label: "AI Configuration",
  permission: "settings.manage",
  fields: {
    defaultProvider: choice(["openai", "anthropic", "google"], "openai", {
      label: "Default provider",
      hint: "The provider whose models are preferred where several could be chosen",
      obeyedBy: null,
    }),
    maxTokens: number(4096, {
      label: "Max tokens",
      hint: "Default length of a generation in chat, personas, comparisons and workflow steps",
      min: 256,
      max: 8192,
      step: 256,
      unit: "tokens",
      obeyedBy: null,
    }),
    temperature: number(0.7, {
      label: "Temperature",
      hint: "Default of chat, personas, comparisons and workflow steps",
      min: 0,
      max: 2,
      step: 0.1,
      obeyedBy: null,
    }),
    enableFallback: toggle(true, {
      label: "Fallback",
      hint: "Asks other providers and the fallback models where the first choice fails",
      obeyedBy: "models",
    }),
    retryAttempts: number(3, {
      label: "Retry attempts",
      hint: "Retries a failed call this often, until the generation begins",
      min: 0,
      max: 5,
      obeyedBy: "models",
    }),
    timeout: number(30_000, {
      label: "Timeout",
      hint: "Ends a call after this time without data from the provider",
      min: 100,
      max: 600_000,
      unit: "ms",
      obeyedBy: "models",
    }),
  },
});
