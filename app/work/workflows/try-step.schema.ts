import { z } from "zod";
import { LogEntry } from "./runs.schema";
import { WorkflowStep } from "./workflows.schema";

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
