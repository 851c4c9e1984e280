import type { RoutingPolicy } from "~/platform/catalogue/models.schema";

interface PolicyChoice {
  value: RoutingPolicy;
  label: string;
  sentence: string;
}

export const POLICY_CHOICES: readonly PolicyChoice[] = [
  {
    value: "priority",
    label: "Priority",
    sentence: "In the order listed above",
  },
  {
    value: "cheapest",
    label: "Cheapest",
    sentence: "Lowest price per token; unknown prices last",
  },
  {
    value: "fastest",
    label: "Fastest",
    sentence: "Lowest recent time to first token",
  },
  {
    value: "least-loaded",
    label: "Least loaded",
    sentence: "Fewest requests in progress",
  },
];

export function policyLabel(policy: RoutingPolicy): string {
  return POLICY_CHOICES.find(({ value }) => value === policy)?.label ?? policy;
}
