import { z } from "zod";
import { choice, text } from "../steps/step-config";
import { defineTrigger } from "./trigger-type";

export const failure = defineTrigger({
  type: "failure",
  label: "Failed Run Trigger",
  description: "Start the workflow when a run of another workflow fails.",
  icon: "CircleAlert",
  defaults: { workflow: "" },
  config: z.object({ workflow: text(64) }),
  fields: [
    {
      name: "workflow",
      label: "Workflow",
      hint: "Its own runs, and those that a failure started, start nothing.",
      control: { kind: "workflow", blank: "Every other workflow" },
    },
  ],
  detail: ({ workflow }, nameOf) => (workflow === "" ? "every other workflow" : nameOf(workflow)),
  outputs: {
    run: "The failed run: id, workflowId, workflowName, version, trigger, error, step, startedAt, failedAt, link",
  },
});

export const document = defineTrigger({
  type: "document",
  label: "New Document Trigger",
  description: "Start the workflow when a document that all members see was added.",
  icon: "FilePlus",
  defaults: { category: "" },
  config: z.object({ category: text(200) }),
  fields: [
    {
      name: "category",
      label: "Category",
      hint: "Documents that a workflow adds start nothing.",
      control: { kind: "category", blank: "Every category" },
    },
  ],
  detail: ({ category }) => category || "every category",
  outputs: { document: "The document: id, title, type, category, size in bytes, link" },
});

const LEVELS = ["used up", "near or used up"] as const;

export const budget = defineTrigger({
  type: "budget",
  label: "Budget Trigger",
  description: "Start the workflow when a budget of the organization or of a workflow is used up.",
  icon: "WalletCards",
  defaults: { level: "used up" },
  config: z.object({ level: choice(LEVELS, "used up") }),
  fields: [
    {
      name: "level",
      label: "When it is",
      control: {
        kind: "select",
        options: [
          { value: "used up", label: "Used up" },
          { value: "near or used up", label: "Near its limit, and used up" },
        ],
      },
    },
  ],
  detail: ({ level }) => level,
  outputs: {
    budget: "The budget: id, name, scope, unit, spent, limit (money in millionths of a US dollar)",
    level: "near or used up",
  },
});
