import { z } from "zod";
import { MAX_BODY_STEPS } from "./each.step.server";
import { numeric } from "./step-config";
import { defineStep } from "./step-type";

const MAX_ROUNDS = 1000;

export const whileStep = defineStep({
  type: "while",
  label: "While",
  description: "Run the next steps again as long as a condition holds.",
  category: "Logic",
  node: "action",
  icon: "RefreshCw",
  defaults: { condition: "", maxRounds: 100, bodySteps: 1 },
  config: z.object({
    condition: z.unknown(),
    maxRounds: numeric(1, MAX_ROUNDS).default(100),
    bodySteps: numeric(1, MAX_BODY_STEPS).default(1),
  }),
  fields: [
    {
      name: "condition",
      label: "Condition",
      hint: 'Checked before each round. index is its number from 0, and last the output of the round before, at first null: last == null || last.status != "done".',
      control: { kind: "condition" },
    },
    {
      name: "maxRounds",
      label: "Max rounds",
      hint: "The step fails if the condition still holds after so many rounds.",
      control: { kind: "number", min: 1, max: MAX_ROUNDS, step: 1 },
    },
    {
      name: "bodySteps",
      label: "Steps to repeat",
      hint: "Enter how many of the next steps run in each round. With connections, the line from repeat leads to them.",
      control: { kind: "number", min: 1, max: MAX_BODY_STEPS, step: 1 },
      language: "none",
    },
  ],
  branches: ["repeat", "done"],
  outputs: { rounds: "Number of rounds", last: "Output of the last round" },
  repeatable: true,
  timeoutMs: 3_600_000,
  control: "while",
});
