import { z } from "zod";
import { pastedJsonField } from "~/platform/catalogue/fields.schema";
import { MAX_STEPS, MAX_TRIGGERS } from "./workflows.shared";

/** In expressions as `stepPath` writes it. */
export const PartId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "Use 1 to 64 letters, digits, underscores and hyphens");

const Position = z.object({ x: z.number(), y: z.number() });
const Config = z.record(z.string().max(60), z.unknown());

export const WorkflowTrigger = z.object({
  id: PartId,
  type: z.string().max(40),
  config: Config,
  position: Position.optional(),
});
export type WorkflowTrigger = z.infer<typeof WorkflowTrigger>;

const ON_ERROR = ["stop", "continue", "branch"] as const;

/** Common to all step types. */
const StepOptions = z.object({
  retries: z.number().int().min(0).max(5).optional().describe("Further attempts after a failure, default 0"),
  retryDelaySeconds: z
    .number()
    .min(1)
    .max(3600)
    .optional()
    .describe("Delay before the first retry, doubled for each further one; default 2"),
  timeoutSeconds: z
    .number()
    .min(1)
    .max(3600)
    .optional()
    .describe("Time limit of an attempt; the type's own by default"),
  onError: z
    .enum(ON_ERROR)
    .optional()
    .describe("`stop` fails the run (default), `continue` continues, `branch` takes the `error` branch"),
  askAfterCrash: z
    .boolean()
    .optional()
    .describe("Waits for a person after a crash instead of repeating the step"),
});

export const WorkflowStep = z.object({
  id: PartId,
  type: z.string().max(40),
  name: z.string().trim().max(80).optional().describe("Shown instead of the type's label"),
  config: Config,
  options: StepOptions.optional(),
  position: Position.optional(),
});
export type WorkflowStep = z.infer<typeof WorkflowStep>;

export const Connection = z.object({
  from: PartId,
  to: PartId,
  branch: z.string().max(20).optional().describe("Such as `true` or `false` of a condition"),
});
export type Connection = z.infer<typeof Connection>;

export const WorkflowDefinition = z.object({
  triggers: z.array(WorkflowTrigger).max(MAX_TRIGGERS, `Use at most ${MAX_TRIGGERS} triggers`),
  steps: z.array(WorkflowStep).max(MAX_STEPS, `Use at most ${MAX_STEPS} steps`),
  connections: z.array(Connection).max(400),
});
export type WorkflowDefinition = z.infer<typeof WorkflowDefinition>;

/** Ids are optional and derived from the type. */
const LooseTrigger = WorkflowTrigger.partial({ id: true, config: true });
const LooseStep = WorkflowStep.partial({ id: true, config: true });

const WorkflowName = z
  .string("Workflow name is required")
  .trim()
  .min(1, "Workflow name is required")
  .max(120, "Use at most 120 characters");
const Description = z.string().trim().max(2000, "Use at most 2,000 characters");

export const WorkflowInput = z.object({
  name: WorkflowName,
  description: Description.default(""),
  triggers: z.array(LooseTrigger).max(MAX_TRIGGERS).optional(),
  steps: z.array(LooseStep).max(MAX_STEPS).optional(),
  connections: z.array(Connection).max(400).default([]),
});
export type WorkflowInput = z.infer<typeof WorkflowInput>;

export const QuickWorkflowInput = z.object({ name: WorkflowName, description: Description.default("") });

export const WorkflowPatch = z.object({
  enabled: z.boolean().optional(),
  name: WorkflowName.optional(),
  description: Description.optional(),
  triggers: z.array(LooseTrigger).max(MAX_TRIGGERS).optional(),
  steps: z.array(LooseStep).max(MAX_STEPS).optional(),
  connections: z.array(Connection).max(400).optional(),
  version: z.number().int().optional().describe("The version that was edited; an older one is refused"),
  updatedAt: z.iso
    .datetime()
    .optional()
    .describe("`updatedAt` as it was read; 409 if one of the changed fields was saved since"),
});
export type WorkflowPatch = z.infer<typeof WorkflowPatch>;

export const Workflow = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  enabled: z.boolean(),
  version: z.number().int(),
  triggers: z.array(WorkflowTrigger),
  steps: z.array(WorkflowStep),
  connections: z.array(Connection),
  runsAs: z.object({ id: z.string(), name: z.string() }).describe("The member with whose rights it runs"),
  pausedReason: z.string().nullable().describe("Reason why automatic triggers are paused; null otherwise"),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Workflow = z.infer<typeof Workflow>;

export const WorkflowId = z.object({ id: z.string().max(64) });

export const WorkflowVersion = z.object({
  version: z.number().int(),
  current: z.boolean(),
  steps: z.number().int(),
  createdBy: z.object({ id: z.string(), name: z.string() }),
  createdAt: z.iso.datetime(),
});
export type WorkflowVersion = z.infer<typeof WorkflowVersion>;

export const VersionParams = WorkflowId.extend({ version: z.coerce.number().int().min(1) });

export const WorkflowQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(100),
  cursor: z.string().max(200).optional(),
});

export const Webhook = z.object({ triggerId: z.string(), path: z.string() });

/** A trigger that looks at a feed or a mailbox. */
export const Poll = z.object({
  triggerId: z.string(),
  checkedAt: z.iso.datetime().nullable().describe("The last check that succeeded"),
  failedAt: z.iso.datetime().nullable().describe("The last check, if it failed"),
  nextAt: z.iso.datetime(),
  error: z.string().nullable().describe("Why the last check failed"),
  failures: z.number().int().describe("Failed checks since the last one that succeeded"),
});
export type Poll = z.infer<typeof Poll>;

/** In characters of a form, in bytes of the API. */
export const MAX_IMPORT = 500_000;
export const ImportInput = z.object({ json: pastedJsonField("Paste a workflow", MAX_IMPORT) });

const FieldChange = z.object({
  field: z.string().describe("Path of the field, such as `config.subject` or `options.retries`"),
  before: z.string().nullable().describe("null if the older version doesn't have the field"),
  after: z.string().nullable(),
  label: z.string(),
});

const VersionChange = z.object({
  kind: z.enum(["added", "removed", "changed", "moved"]),
  part: z.enum(["step", "trigger", "connection"]),
  id: z.string(),
  type: z.string(),
  name: z.string().nullable(),
  fields: z.array(FieldChange),
  label: z.string().describe("The step's name, or its type's label"),
});
export type VersionChange = z.infer<typeof VersionChange>;

export const VersionChanges = z.object({
  from: z.number().int(),
  to: z.number().int(),
  changes: z.array(VersionChange).describe("Triggers, then steps, then connections"),
});
export type VersionChanges = z.infer<typeof VersionChanges>;

export const CompareQuery = z.object({
  since: z.coerce.number().int().min(1).describe("The version to compare with"),
});
