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
