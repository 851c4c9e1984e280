import { submittedText } from "~/ui/form-result";

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

/** The values of a refused form; undefined before a submit. */
export function submittedValues(submitted: FormValues | undefined): ModelValues | undefined {
  if (!submitted) return undefined;
  const [cost, routing] = [record(submitted.cost), record(submitted.routing)];
  return {
    name: submittedText(submitted.name),
    description: submittedText(submitted.description),
    maxTokens: submittedText(submitted.maxTokens),
    inputCost: submittedText(cost.input),
    outputCost: submittedText(cost.output),
    capabilities: [submitted.capabilities].flat().filter((one): one is string => typeof one === "string"),
    policy: submittedText(routing.policy),
    fallbacks: submittedText(routing.fallbacks),
    targets: (Array.isArray(routing.targets) ? routing.targets : []).map((target) => {
      const { providerId, model } = record(target);
      return { providerId: submittedText(providerId), model: submittedText(model) };
    }),
  };
}
