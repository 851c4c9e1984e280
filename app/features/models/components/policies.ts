import type { RoutingPolicy } from "../models.schema";

interface PolicyChoice {
  value: RoutingPolicy;
  label: string;
  sentence: string;
}

/** The router's policies in words. */
export const POLICY_CHOICES: readonly PolicyChoice[] = [
  {
    value: "priority",
    label: "Priority",
    sentence: "Providers are asked in the order they stand in here.",
  },
  {
    value: "cheapest",
    label: "Cheapest",
    sentence: "The lowest price per token is asked first; where no price is known, last.",
  },
  {
    value: "fastest",
    label: "Fastest",
    sentence: "Whose first token came soonest lately, as measured here, is asked first.",
  },
  {
    value: "least-loaded",
    label: "Least loaded",
    sentence: "Who has the fewest calls under way is asked first.",
  },
];

export function policyLabel(policy: RoutingPolicy): string {
  return POLICY_CHOICES.find(({ value }) => value === policy)?.label ?? policy;
}
