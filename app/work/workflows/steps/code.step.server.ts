import { z } from "zod";
import { AppError } from "~/core/errors";
import { jsonValue, requiredText } from "./step-config";
import { defineStep } from "./step-type";

export const code = defineStep({
  type: "code",
  label: "Code",
  description: "Compute a value with JavaScript.",
  category: "Data",
  node: "action",
  icon: "Braces",
  defaults: { code: "return input;", input: "trigger" },
  config: z.object({ code: requiredText("Enter the code", 100_000), input: jsonValue }),
  fields: [
    {
      name: "code",
      label: "JavaScript",
      hint: "Use input, and return a value. It has no network, files or timers; console.log writes to the run's log.",
      control: { kind: "code" },
      // Values come in as input, so that they can't change the code.
      language: "none",
    },
    {
      name: "input",
      label: "Input",
      hint: 'Write one expression, such as {"order": trigger.body, "rows": steps.database_query_1.rows}.',
      control: { kind: "expression" },
    },
  ],
  repeatable: true,
  timeoutMs: 10_000,
  async run({ config, services, log }) {
    const { output, error, log: lines } = await services.runCode(config.code, config.input);
    for (const { level, message } of lines) log(level, message);
    if (error !== null) throw new AppError("invalid", error);
    return { output };
  },
});
