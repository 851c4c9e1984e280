import { z } from "zod";
import { jsonObject, requiredText } from "./step-config";
import { defineStep } from "./step-type";

export const callWorkflow = defineStep({
  type: "call_workflow",
  label: "Call Workflow",
  description: "Run another workflow and use the value it returns.",
  category: "Logic",
  node: "action",
  icon: "Workflow",
  defaults: { workflow: "", payload: "{}" },
  config: z.object({
    workflow: requiredText("Choose a workflow", 64),
    payload: jsonObject(`Enter a map, such as {"id": trigger.id}`),
  }),
  fields: [
    { name: "workflow", label: "Workflow", control: { kind: "workflow" } },
    {
      name: "payload",
      label: "Payload",
      hint: `Enter the data it starts with, such as {"id": trigger.id}.`,
      control: { kind: "expression" },
    },
  ],
  repeatable: true,
  timeoutMs: 3_600_000,
  control: "call",
});
