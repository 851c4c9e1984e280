import { z } from "zod";
import { numeric, recipients, requiredText, text } from "./step-config";
import { defineStep } from "./step-type";

/** A year. */
const MAX_HOURS = 8760;

export const approval = defineStep({
  type: "approval",
  label: "Ask a Person",
  description: "Wait until a person approves or refuses.",
  category: "Logic",
  node: "condition",
  icon: "UserCheck",
  defaults: { question: "", details: "" },
  config: z.object({
    question: requiredText("Enter a question", 500),
    details: text(20_000),
    sendTo: recipients(0),
    timeoutHours: numeric(1, MAX_HOURS).optional(),
  }),
  fields: [
    { name: "question", label: "Question", control: { kind: "text" } },
    {
      name: "details",
      label: "Details",
      hint: "Add the information that the person needs to decide.",
      control: { kind: "textarea" },
    },
    {
      name: "sendTo",
      label: "Recipients",
      hint: "Leave blank to ask only on the run's page. Each address gets an email with a link to approve or refuse without signing in.",
      control: { kind: "text" },
    },
    {
      name: "timeoutHours",
      label: "Time limit in hours",
      hint: "Leave blank to wait without a limit.",
      control: { kind: "number", min: 1, max: MAX_HOURS, step: 1 },
    },
  ],
  branches: ["approved", "refused"],
  outputs: { approved: "true or false", by: "Name of the person", comment: "The person's comment" },
  repeatable: true,
  timeoutMs: 5_000,
  control: "approval",
});
