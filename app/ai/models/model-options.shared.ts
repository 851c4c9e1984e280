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

export const POLICY_CHOICES: readonly { value: RoutingPolicy; label: string; hint: string }[] = [
  { value: "priority", label: "Priority", hint: "In the order listed above" },
  { value: "cheapest", label: "Cheapest", hint: "Lowest price per token; unknown prices last" },
  { value: "fastest", label: "Fastest", hint: "Lowest recent time to first token" },
  { value: "least-loaded", label: "Least loaded", hint: "Fewest requests in progress" },
];

export const HUBS = ["huggingface", "openrouter"] as const;
export type Hub = (typeof HUBS)[number];
export const HUB_LABELS: Record<Hub, string> = { huggingface: "Hugging Face", openrouter: "OpenRouter" };
