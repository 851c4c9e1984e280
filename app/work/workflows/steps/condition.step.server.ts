import { z } from "zod";
import { AppError } from "~/core/errors";
import { defineStep } from "./step-type";

const Next = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "Choose continue, stop or a later step")
  .default("continue")
  .describe("`continue`, `stop` or the id of a later step");

function describe(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a map" : `${JSON.stringify(value)}`.slice(0, 80);
}

/** @throws AppError `invalid` */
export function requireBoolean(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw new AppError(
    "invalid",
    `The condition must be true or false, but it is ${describe(value)}. Compare it, such as: value != "".`,
  );
}

export const condition = defineStep({
  type: "condition",
  label: "If Condition",
  description: "Choose the next step by an expression that is true or false.",
  category: "Logic",
  node: "condition",
  icon: "GitBranch",
  defaults: { condition: "", trueAction: "continue", falseAction: "stop" },
  config: z.object({ condition: z.unknown(), trueAction: Next, falseAction: Next }),
  fields: [
    {
      name: "condition",
      label: "Condition",
      hint: "Compare a field of the trigger or of an earlier step, such as steps.search_documents_1.count, with a value.",
      control: { kind: "condition" },
    },
    { name: "trueAction", label: "If true", control: { kind: "next" } },
    { name: "falseAction", label: "If false", control: { kind: "next" } },
  ],
  branches: ["true", "false"],
  outputs: { result: "true or false" },
  repeatable: true,
  timeoutMs: 5_000,
  async run({ config }) {
    const result = requireBoolean(config.condition);
    return { output: { result }, branch: String(result) };
  },
});
