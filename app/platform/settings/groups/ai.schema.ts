import { choice, number, text, toggle } from "~/core/field.schema";
import { defineGroup } from "./group.schema";

export const ai = defineGroup({
  id: "ai",
  label: "AI Configuration",
  permission: "settings.manage",
  fields: {
    defaultProvider: choice(
      ["openai", "anthropic", "google"],
      "openai",
      {
        label: "Default provider",
        hint: "List the models of this provider first and prefer them as defaults",
        appliedBy: "models",
      },
      { openai: "OpenAI" },
    ),
    maxTokens: number(4096, {
      label: "Max tokens",
      hint: "Limit the length of an answer in chat, comparisons and workflow steps",
      min: 256,
      max: 8192,
      step: 256,
      unit: "tokens",
      appliedBy: "models",
    }),
    temperature: number(0.7, {
      label: "Temperature",
      hint: "Set lower values for predictable answers, higher ones for varied answers",
      min: 0,
      max: 2,
      step: 0.1,
      appliedBy: "models",
    }),
    enableFallback: toggle(true, {
      label: "Fallback",
      hint: "Try other providers and the fallback models when the first choice fails",
      appliedBy: "models",
    }),
    retryAttempts: number(3, {
      label: "Retry attempts",
      hint: "Limit the retries before an answer begins",
      min: 0,
      max: 5,
      appliedBy: "models",
    }),
    proposeTitles: toggle(false, {
      label: "Proposed titles",
      hint: "Ask the model for a short title after the first answer, which costs one small call per conversation",
      appliedBy: "chat",
    }),
    summarizeAt: number(80, {
      label: "Summarize long chats",
      hint: "Set the share of a model's context from which older messages are sent to it as a summary",
      min: 30,
      max: 100,
      step: 5,
      unit: "%",
      appliedBy: "chat",
    }),
    transcriptionModel: text("", {
      label: "Dictation model",
      hint: "Enter the ID of the model that transcribes speech; leave blank for the first one available",
      max: 200,
      appliedBy: "chat",
    }),
    speechModel: text("", {
      label: "Speech model",
      hint: "Enter the ID of the model that reads answers aloud; leave blank for the first one available",
      max: 200,
      appliedBy: "chat",
    }),
    speechVoice: text("alloy", {
      label: "Voice",
      hint: "Enter the name of one of the speech model's voices",
      min: 1,
      max: 100,
      appliedBy: "chat",
    }),
    timeout: number(30_000, {
      label: "Timeout",
      hint: "Set how long to wait for data from a provider, in milliseconds",
      min: 100,
      max: 600_000,
      unit: "ms",
      appliedBy: "models",
    }),
  },
});
