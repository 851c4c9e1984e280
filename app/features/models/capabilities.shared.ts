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
