import { z } from "zod";
import { DEFAULT_BRANCHES } from "../workflows.shared";
import { numeric } from "./step-config";
import { defineStep } from "./step-type";

const MAX_BRANCHES = 20;

export const parallel = defineStep({
  type: "parallel",
  label: "Parallel",
  description: "Run several branches at the same time. The step where they meet waits for all of them.",
  category: "Logic",
  node: "condition",
  icon: "Split",
  defaults: { bodySteps: DEFAULT_BRANCHES },
  config: z.object({ bodySteps: numeric(1, MAX_BRANCHES).default(DEFAULT_BRANCHES) }),
  fields: [
    {
      name: "bodySteps",
      label: "Steps at once",
      hint: "Enter how many of the next steps run at the same time. With connections, each line from here is a branch.",
      control: { kind: "number", min: 1, max: MAX_BRANCHES, step: 1 },
      language: "none",
    },
  ],
  repeatable: true,
  timeoutMs: 3_600_000,
  control: "parallel",
});
