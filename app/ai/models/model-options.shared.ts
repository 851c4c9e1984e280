import type { RoutingPolicy } from "~/platform/catalogue/models.schema";

/** Without zod, for the browser. */
export const CAPABILITIES = [
  "text",
  "vision",
  "function-calling",
  "analysis",
  "reasoning",
  "code",
  "conversational",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

export const CAPABILITY_LABELS: Readonly<Record<Capability, string>> = {
  text: "Text",
  vision: "Vision",
  "function-calling": "Function calling",
  analysis: "Analysis",
  reasoning: "Reasoning",
  code: "Code",
  conversational: "Conversational",
};

/** Prices beside those of tokens, of models that their providers charge for otherwise. In US dollars. */
export const UNIT_PRICES = [
  {
    name: "searchUnits",
    kind: "rerank",
    label: "Cost of search units",
    hint: "Enter US dollars per 1K search units, if the provider charges by them; leave the tokens blank then",
  },
  {
    name: "audioMinutes",
    kind: "transcription",
    label: "Cost of audio",
    hint: "Enter US dollars per minute of audio, if the provider charges by it; leave the tokens blank then",
  },
  {
    name: "characters",
    kind: "speech",
    label: "Cost of characters",
    hint: "Enter US dollars per 1M characters, if the provider charges by them; leave the tokens blank then",
  },
] as const;

export const POLICY_CHOICES: readonly { value: RoutingPolicy; label: string; hint: string }[] = [
  { value: "priority", label: "Priority", hint: "In the order listed above" },
  { value: "cheapest", label: "Cheapest", hint: "Lowest price per token; unknown prices last" },
  { value: "fastest", label: "Fastest", hint: "Lowest recent time to first token" },
  { value: "least-loaded", label: "Least loaded", hint: "Fewest requests in progress" },
];

export const HUBS = ["huggingface", "openrouter"] as const;
export type Hub = (typeof HUBS)[number];
export const HUB_LABELS: Record<Hub, string> = { huggingface: "Hugging Face", openrouter: "OpenRouter" };
