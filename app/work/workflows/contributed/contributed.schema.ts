import { z } from "zod";
import { WorkflowDefinition } from "../workflows.schema";

// Data, never code: a step calls one of the plugin's tools.

const Name = z
  .string()
  .max(30)
  .regex(/^[a-z][a-z0-9_-]*$/, "Use lower-case letters, digits, - and _");

const ContributedField = z.strictObject({
  name: z.string().regex(/^[a-z][A-Za-z0-9_]{0,39}$/, "Use the name of the tool's input"),
  label: z.string().min(1).max(60),
  hint: z.string().max(200).optional(),
  required: z.boolean().default(false),
  control: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.enum(["text", "textarea", "code"]), default: z.string().max(2000).default("") }),
    /** Evaluates to the value itself, such as a list. */
    z.strictObject({ kind: z.literal("expression"), default: z.string().max(2000).default("") }),
    z.strictObject({
      kind: z.literal("number"),
      min: z.number(),
      max: z.number(),
      step: z.number().positive().default(1),
      default: z.number(),
    }),
    z.strictObject({
      kind: z.literal("select"),
      options: z
        .array(z.strictObject({ value: z.string().max(60), label: z.string().min(1).max(60) }))
        .min(1)
        .max(50),
      default: z.string(),
    }),
    z.strictObject({ kind: z.literal("switch"), default: z.boolean().default(false) }),
  ]),
});
export type ContributedField = z.infer<typeof ContributedField>;

export const ContributedStep = z.strictObject({
  name: Name,
  label: z.string().trim().min(1).max(40),
  description: z.string().trim().min(1).max(200),
  category: z.enum(["AI", "Data", "Actions", "Output"]).default("Actions"),
  tool: z.string().min(1).max(64).describe("Name of the plugin's own tool that it calls"),
  fields: z.array(ContributedField).max(20).default([]),
  outputs: z.record(z.string().max(40), z.string().max(120)).default({}),
});
export type ContributedStep = z.infer<typeof ContributedStep>;

export const ContributedTemplate = WorkflowDefinition.extend({
  id: Name,
  name: z.string().trim().min(1).max(100),
  description: z.string().trim().min(1).max(300),
});
export type ContributedTemplate = z.infer<typeof ContributedTemplate>;
