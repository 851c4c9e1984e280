import { z } from "zod";
import { numeric, requiredText, text } from "../steps/step-config";
import { INPUTS_HINT, InputLines } from "./declared-inputs";
import { defineTrigger } from "./trigger-type";

const BUTTON = "Send";
const THANKS = "Thank you. We have received it.";

export const form = defineTrigger({
  type: "form",
  label: "Form Trigger",
  description: "Start the workflow with a form that anybody with its link can fill in.",
  icon: "ClipboardList",
  defaults: {
    title: "Contact us",
    description: "",
    inputs: "email* (email): Your email address\nmessage* (long): Your message",
    button: BUTTON,
    thanks: THANKS,
    perHour: 60,
  },
  config: z.object({
    title: requiredText("Enter a title", 120),
    description: text(1000),
    inputs: InputLines("Enter at least one field"),
    button: text(40).transform((label) => label.trim() || BUTTON),
    thanks: text(1000).transform((message) => message.trim() || THANKS),
    perHour: numeric(1, 1000).default(60),
  }),
  fields: [
    { name: "title", label: "Title", control: { kind: "text" } },
    { name: "description", label: "Description", control: { kind: "textarea" } },
    { name: "inputs", label: "Fields", hint: INPUTS_HINT, control: { kind: "textarea" } },
    { name: "button", label: "Button", control: { kind: "text" } },
    {
      name: "thanks",
      label: "Shown after sending",
      hint: "Whoever has the link can read it without sending",
      control: { kind: "textarea" },
    },
    {
      name: "perHour",
      label: "Submissions per hour",
      hint: "More are refused. One address may send a tenth of them, at least five.",
      control: { kind: "number", min: 1, max: 1000, step: 1 },
    },
  ],
  detail: ({ title }) => title,
  outputs: { "<field>": "Each field by its name" },
});
