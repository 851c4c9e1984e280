import { z } from "zod";
import { requiredText } from "../steps/step-config";
import { INPUTS_HINT, InputLines } from "./declared-inputs";
import { defineTrigger } from "./trigger-type";

export const tool = defineTrigger({
  type: "tool",
  label: "Tool Trigger",
  description: "Let models in chats call the workflow as a tool.",
  icon: "Wrench",
  defaults: {
    name: "look_up",
    description: "Looks something up.",
    inputs: "query*: What to look for",
  },
  config: z.object({
    name: requiredText("Enter a name", 40).refine((name) => /^[a-z][a-z0-9_]*$/.test(name), {
      error: "Use lower-case letters, digits and underscores, such as look_up_order",
    }),
    description: requiredText("Say what it does and when to use it", 1000),
    inputs: InputLines("Enter at least one input"),
  }),
  fields: [
    {
      name: "name",
      label: "Tool name",
      hint: "Models call it workflow.<name>. It is listed under Settings › Advanced, where its use can be allowed or forbidden.",
      control: { kind: "text" },
    },
    {
      name: "description",
      label: "Description",
      hint: "Tell the model what it does, when to use it and what it returns.",
      control: { kind: "textarea" },
    },
    { name: "inputs", label: "Inputs", hint: INPUTS_HINT, control: { kind: "textarea" } },
  ],
  detail: ({ name }) => `workflow.${name}`,
  outputs: { "<input>": "Each input by its name" },
});
