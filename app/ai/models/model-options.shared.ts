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

/** Prices beside those of tokens, of models that their providers charge for otherwise: of what, and of how much of it. */
export const UNIT_PRICES = [
  { name: "searchUnits", kind: "rerank", noun: "search units", per: "1K search units" },
  { name: "audioMinutes", kind: "transcription", noun: "minutes", per: "minute of audio" },
  { name: "characters", kind: "speech", noun: "characters", per: "1M characters" },
  { name: "images", kind: "image", noun: "images", per: "image" },
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
