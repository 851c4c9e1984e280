/** A model of a picker. `provider` is its provider's name. */
export interface OfferedModel {
  id: string;
  name: string;
  provider: string;
  /** False if no provider serves it now. */
  available?: boolean;
}

/** Options of every model picker: by provider, then those that can't be called now. */
export const modelOptions = (models: readonly OfferedModel[]) =>
  models.map(({ id, name, provider, available }) =>
    available === false
      ? { value: id, label: `${name} (not available)`, group: "Not available" }
      : { value: id, label: name, group: provider },
  );

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
