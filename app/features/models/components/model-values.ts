/** Initial values of a model's form; numbers are strings, as in the form. */
export interface ModelValues {
  name: string;
  description: string;
  maxTokens: string;
  inputCost: string;
  outputCost: string;
  capabilities: string[];
  policy: string;
  fallbacks: string;
  targets: { providerId: string; model: string }[];
}

export const BLANK_MODEL: ModelValues = {
  name: "",
  description: "",
  maxTokens: "",
  inputCost: "",
  outputCost: "",
  capabilities: [],
  policy: "",
  fallbacks: "",
  targets: [],
};

type FormValues = Record<string, unknown>;

function record(value: unknown): FormValues {
  return typeof value === "object" && value !== null ? (value as FormValues) : {};
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The values of a refused form; undefined before a submit. */
export function submittedValues(submitted: FormValues | undefined): ModelValues | undefined {
  if (!submitted) return undefined;
  const [cost, routing] = [record(submitted.cost), record(submitted.routing)];
  return {
    name: text(submitted.name),
    description: text(submitted.description),
    maxTokens: text(submitted.maxTokens),
    inputCost: text(cost.input),
    outputCost: text(cost.output),
    capabilities: [submitted.capabilities].flat().filter((one): one is string => typeof one === "string"),
    policy: text(routing.policy),
    fallbacks: text(routing.fallbacks),
    targets: (Array.isArray(routing.targets) ? routing.targets : []).map((target) => {
      const { providerId, model } = record(target);
      return { providerId: text(providerId), model: text(model) };
    }),
  };
}
