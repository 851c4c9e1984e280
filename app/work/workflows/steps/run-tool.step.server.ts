import { z } from "zod";
import { jsonObject, requiredText } from "./step-config";
import { defineStep } from "./step-type";

export const runTool = defineStep({
  type: "run_tool",
  label: "Run Tool",
  description: "Call a tool of the console or of a plugin.",
  category: "Actions",
  node: "action",
  icon: "Wrench",
  defaults: { tool: "", input: "{}" },
  config: z.object({
    tool: requiredText("Choose a tool", 200),
    input: jsonObject(`Enter a map, such as {"url": trigger.url}`),
  }),
  fields: [
    { name: "tool", label: "Tool", control: { kind: "tool" } },
    {
      name: "input",
      label: "Input",
      hint: `Enter JSON by the tool's parameters, such as {"url": "{{ trigger.url }}"}, or an expression for it.`,
      control: { kind: "toolInput" },
    },
  ],
  repeatable: false,
  timeoutMs: 120_000,
  async run({ config, services }) {
    return { output: await services.callTool(config.tool.trim(), config.input) };
  },
});
