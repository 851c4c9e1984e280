import { z } from "zod";
import { fromJson, numeric } from "./step-config";
import { defineStep, type Json } from "./step-type";

const MAX_ITEMS = 1000;
export const MAX_BODY_STEPS = 20;

export const each = defineStep({
  type: "each",
  label: "For Each",
  description: "Run the next steps once for each item of a list.",
  category: "Logic",
  node: "action",
  icon: "Repeat",
  defaults: { items: "", maxItems: 100, bodySteps: 1 },
  config: z
    .object({
      items: z.preprocess(
        fromJson,
        z.array(z.unknown(), "Enter a list, such as trigger.items").transform((items) => items as Json[]),
      ),
      maxItems: numeric(1, MAX_ITEMS).default(100),
      bodySteps: numeric(1, MAX_BODY_STEPS).default(1),
    })
    .superRefine(({ items, maxItems }, context) => {
      if (items.length > maxItems)
        context.addIssue({
          code: "custom",
          path: ["items"],
          message: `The list has ${items.length.toLocaleString("en-US")} items. Max items is ${maxItems.toLocaleString("en-US")}.`,
        });
    }),
  fields: [
    {
      name: "items",
      label: "Items",
      hint: "Write an expression that gives a list, such as: trigger.items. Steps use item and index.",
      control: { kind: "expression" },
    },
    {
      name: "maxItems",
      label: "Max items",
      hint: "Limit the length of the list.",
      control: { kind: "number", min: 1, max: MAX_ITEMS, step: 1 },
    },
    {
      name: "bodySteps",
      label: "Steps to repeat",
      hint: "Enter how many of the next steps run for each item. With connections, the line from each leads to them.",
      control: { kind: "number", min: 1, max: MAX_BODY_STEPS, step: 1 },
      language: "none",
    },
  ],
  branches: ["each", "done"],
  outputs: { items: "Results by item", count: "Number of items" },
  repeatable: true,
  timeoutMs: 3_600_000,
  control: "each",
});
