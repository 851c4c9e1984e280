import { z } from "zod";
import { ToolProgress } from "~/ai/tools/answer-stream.schema";
import { pastedJsonField } from "~/platform/catalogue/fields.schema";
import { WorkflowStep } from "./workflows.schema";
import { RUN_STATES } from "./workflows.shared";

/** Longest key: the ids and rounds of nested loops, then the step's id. */
const MAX_STEP_KEY = 400;

export const RunState = z.enum(RUN_STATES);
export type RunState = z.infer<typeof RunState>;

const STEP_STATES = ["running", "waiting", "succeeded", "failed", "skipped"] as const;

export const LogEntry = z.object({ at: z.number(), level: z.string(), message: z.string() });
export type LogEntry = z.infer<typeof LogEntry>;

export const RunStep = z.object({
  key: z.string().describe("The step's id; within a loop such as `loop[3].step`"),
  stepId: z.string(),
  type: z.string(),
  state: z.enum([...STEP_STATES, "cancelled"]),
  attempts: z.number().int(),
  input: z.unknown().describe("The configuration with its expressions resolved"),
  output: z.unknown(),
  branch: z.string().nullable(),
  error: z.string().nullable(),
  log: z.array(LogEntry),
  inputTokens: z.number().int().nullable(),
  outputTokens: z.number().int().nullable(),
  costMicros: z.number().int().nullable().describe("Millionths of a US dollar"),
  progress: ToolProgress.nullable().describe("Progress of its tool call, if the running tool reports it"),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
});
export type RunStep = z.infer<typeof RunStep>;

export const Run = z.object({
  id: z.string(),
  workflowId: z.string(),
  workflowName: z.string(),
  version: z.number().int(),
  state: RunState,
  trigger: z.object({ id: z.string(), type: z.string() }),
  startedBy: z.object({ id: z.string(), name: z.string() }).nullable(),
  parentRunId: z.string().nullable(),
  rerunOf: z
    .object({ runId: z.string(), step: z.string(), edited: z.boolean() })
    .nullable()
    .describe("The earlier run and the step at which this one began, with an edited input or its own"),
  error: z.string().nullable(),
  stepId: z.string().nullable().describe("The step that failed, or that waits"),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
  durationMs: z
    .number()
    .int()
    .nullable()
    .describe("Without the time between a failure and its retry; null before the end"),
});
export type Run = z.infer<typeof Run>;

export const RunDetails = Run.extend({
  payload: z.unknown().describe("The trigger's data"),
  output: z.unknown().describe("The value of Return Value; null without one"),
  steps: z.array(RunStep),
  hidesData: z
    .boolean()
    .describe("Data, inputs, outputs and logs are left out: only those who may edit workflows read them"),
});
export type RunDetails = z.infer<typeof RunDetails>;

/** A run whose approval step waits for a member. */
export interface WaitingApproval {
  runId: string;
  workflowName: string;
  since: string;
}

/** With finished and total steps. */
export type ActiveRun = Run & { done: number; total: number };

export const RunQuery = z.object({
  workflow: z.string().max(64).optional(),
  state: RunState.optional(),
  from: z.iso.datetime().optional().describe("Runs that were started then or later"),
  before: z.iso.datetime().optional().describe("Runs that were started earlier"),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional(),
});
export type RunQuery = z.infer<typeof RunQuery>;

export const RunInput = z.object({
  payload: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("The trigger's data, `trigger` in expressions"),
});

export const RerunInput = z.object({
  step: z.string().max(80).describe("The step's id"),
  input: z
    .unknown()
    .optional()
    .describe("Its configuration without expressions; by default its expressions are resolved again"),
});
export type RerunInput = z.infer<typeof RerunInput>;

/** In characters of a form. */
const MAX_RERUN_INPUT = 500_000;
export const RerunForm = z.object({
  step: z.string().max(80),
  json: pastedJsonField("Enter the step's input", MAX_RERUN_INPUT).optional(),
});

/** What a rerun of an ended run would do. */
export interface RerunPlan {
  stepId: string;
  label: string;
  /** The step's input as JSON text; absent where it can't be edited. */
  json?: string;
  /** Why it can't. */
  reason?: string;
  /** Steps that keep their outputs. */
  kept: number;
}

export const RunId = z.object({ id: z.string().max(64) });

export const AnswerInput = z.object({
  step: z.string().max(MAX_STEP_KEY).describe("The step's key"),
  approved: z.boolean(),
  comment: z.string().trim().max(1000).optional(),
});

export const ApprovalLinkInput = z.object({
  step: z.string().max(MAX_STEP_KEY).describe("The step's key"),
  recipient: z
    .string()
    .trim()
    .min(1, "Enter a recipient")
    .max(200)
    .regex(/^[^\p{Cc}\u2028\u2029]*$/u, "Remove the line break")
    .describe("Name or email address, which the audit trail and the step's output show"),
});
export type ApprovalLinkInput = z.infer<typeof ApprovalLinkInput>;

export const ApprovalLink = z.object({
  link: z.url().describe("Works once and needs no account"),
  recipient: z.string(),
  expiresAt: z.iso.datetime(),
});
export type ApprovalLink = z.infer<typeof ApprovalLink>;

export const StepKey = RunId.extend({ key: z.string().max(MAX_STEP_KEY) });

export const PinParams = z.object({
  id: z.string().max(64),
  step: z.string().max(80).describe("The step's id in the workflow"),
});

export const PinInput = z.object({
  runId: z.string().max(64).optional().describe("The run with the output; the last one by default"),
});

/** A step's output that tries use in place of running it. */
export const Pin = z.object({
  stepId: z.string(),
  output: z.unknown(),
  branch: z.string().nullable(),
  runId: z.string().describe("Where the output comes from; that run may be gone"),
  pinnedAt: z.iso.datetime(),
});
export type Pin = z.infer<typeof Pin>;

export const TryStepInput = z.object({
  step: WorkflowStep.partial({ id: true, config: true }),
  workflowId: z.string().max(64).optional().describe("Id of its workflow, if that is saved"),
  trigger: z.unknown().optional().describe("The trigger's data, `trigger` in expressions"),
  steps: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("Outputs of earlier steps by their ids, `steps` in expressions"),
  item: z.unknown().optional().describe("The item of For Each"),
  index: z.number().int().min(0).optional(),
});
export type TryStepInput = z.infer<typeof TryStepInput>;

export const TriedStep = z.object({
  ok: z.boolean(),
  input: z.unknown().describe("The configuration with its expressions resolved; null if they can't be"),
  output: z.unknown(),
  branch: z.string().nullable(),
  error: z.string().nullable(),
  log: z.array(LogEntry),
  tookMs: z.number(),
  inputTokens: z.number().int().nullable(),
  outputTokens: z.number().int().nullable(),
  costMicros: z.number().int().nullable().describe("Millionths of a US dollar"),
});
export type TriedStep = z.infer<typeof TriedStep>;

/** A step that ran before the tried one, or whose pinned output took its place. */
export interface EarlierStep {
  stepId: string;
  ok: boolean;
  isPinned: boolean;
}
