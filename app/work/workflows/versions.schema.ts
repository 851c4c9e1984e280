import { z } from "zod";

const FieldChange = z.object({
  field: z.string().describe("Path of the field, such as `config.subject` or `options.retries`"),
  before: z.string().nullable().describe("null if the older version doesn't have the field"),
  after: z.string().nullable(),
});
export type FieldChange = z.infer<typeof FieldChange>;

const VersionChange = z.object({
  kind: z.enum(["added", "removed", "changed", "moved"]),
  part: z.enum(["step", "trigger", "connection"]),
  id: z.string(),
  type: z.string(),
  name: z.string().nullable(),
  fields: z.array(FieldChange),
});
export type VersionChange = z.infer<typeof VersionChange>;

export const VersionChanges = z.object({
  from: z.number().int(),
  to: z.number().int(),
  changes: z
    .array(
      VersionChange.extend({
        label: z.string().describe("The step's name, or its type's label"),
        fields: z.array(FieldChange.extend({ label: z.string() })),
      }),
    )
    .describe("Triggers, then steps, then connections"),
});
export type VersionChanges = z.infer<typeof VersionChanges>;

export const CompareQuery = z.object({
  since: z.coerce.number().int().min(1).describe("The version to compare with"),
});
