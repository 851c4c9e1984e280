import { z } from "zod";
import { jsonValue } from "./step-config";
import { defineStep } from "./step-type";

export const returnValue = defineStep({
  type: "return",
  label: "Return Value",
  description: "End the run with a value.",
  category: "Output",
  node: "output",
  icon: "CornerDownLeft",
  defaults: { value: "" },
  config: z.object({ value: jsonValue }),
  fields: [
    {
      name: "value",
      label: "Value",
      hint: "Write text, or {{ … }} alone to return a value as it is.",
      control: { kind: "textarea" },
    },
  ],
  repeatable: true,
  timeoutMs: 5_000,
  async run({ config }) {
    return { output: config.value, returns: true };
  },
});
