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

export const BLANK: ModelValues = {
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

type Sent = Record<string, unknown>;

function record(value: unknown): Sent {
  return typeof value === "object" && value !== null ? (value as Sent) : {};
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Refused input in the same shape; undefined without a form. */
export function sentValues(sent: Sent | undefined): ModelValues | undefined {
  if (!sent) return undefined;
  const [cost, routing] = [record(sent.cost), record(sent.routing)];
  return {
    name: text(sent.name),
    description: text(sent.description),
    maxTokens: text(sent.maxTokens),
    inputCost: text(cost.input),
    outputCost: text(cost.output),
    capabilities: [sent.capabilities].flat().filter((one): one is string => typeof one === "string"),
    policy: text(routing.policy),
    fallbacks: text(routing.fallbacks),
    targets: (Array.isArray(routing.targets) ? routing.targets : []).map((target) => {
      const { providerId, model } = record(target);
      return { providerId: text(providerId), model: text(model) };
    }),
  };
}
