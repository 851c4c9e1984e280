import { z } from "zod";
import type { OfferedModel } from "~/ai/models/model-picker.shared";
import type { Option } from "~/core/field.schema";
import { MAX_ROWS } from "./condition-rows.shared";
import type { EarlierStep, TriedStep } from "./runs.schema";
import type { ScheduleText } from "./schedule.shared";
import type { ChoiceKind, StepField } from "./steps/step-type";
import type { ToolField } from "./tool-input.shared";
import { MAX_STEPS, MAX_TRIGGERS } from "./workflows.shared";

const ConditionRows = z.object({
  /** All or any. */
  match: z.enum(["all", "any"]).catch("all"),
  rows: z
    .array(
      z.object({ field: z.string().max(1000), operator: z.string().max(20), value: z.string().max(2000) }),
    )
    .max(MAX_ROWS),
});

export interface Choices extends Readonly<Record<ChoiceKind, readonly Option[]>> {
  model: readonly OfferedModel[];
  timeZones: readonly string[];
  /** The organization's, for schedules without their own. */
  timeZone: string;
}

export type PartKind = "triggers" | "steps";

export interface PartType {
  kind: PartKind;
  type: string;
  label: string;
  description: string;
  category: string;
  icon: string;
  node: "trigger" | "action" | "condition" | "output";
  defaults: Readonly<Record<string, unknown>>;
  fields: readonly StepField[];
  /** Fields of its output, as in `steps.<id>.text`. */
  outputs: readonly ExpressionName[];
  /** Names of outgoing branches; empty for a single unnamed one. */
  branches: readonly string[];
  /** Whether a step can be tried alone, and whether that may change something outside. */
  canTry?: "harmless" | "acts" | "shown";
  /** Why it can't be added, such as an inactive plugin. */
  unavailable?: string;
}

const Position = z.object({ x: z.number(), y: z.number() });

/** Values are as typed, and may be invalid. */
const DraftPart = z.object({
  id: z.string().max(200),
  type: z.string().max(40),
  name: z.string().max(500).optional(),
  config: z.record(z.string().max(60), z.unknown()).default({}),
  options: z.record(z.string().max(60), z.unknown()).optional(),
  condition: ConditionRows.optional(),
  asText: z.boolean().optional(),
  position: Position.optional(),
});
export type DraftPart = z.infer<typeof DraftPart>;

const DraftConnection = z.object({
  from: z.string().max(200),
  to: z.string().max(200),
  branch: z.string().max(200).optional(),
});
export type DraftConnection = z.infer<typeof DraftConnection>;

/** An edited workflow; exists only in its form. */
export const Draft = z.object({
  /** Absent for a new workflow. */
  id: z.string().max(64).optional(),
  /** The version the form was opened with. */
  version: z.number().int().optional(),
  /** Likewise; the name has no versions. */
  updatedAt: z.iso.datetime().optional().catch(undefined),
  name: z.string().max(1000).default(""),
  description: z.string().max(10_000).default(""),
  model: z.string().max(200).default(""),
  triggers: z.array(DraftPart).max(MAX_TRIGGERS).default([]),
  steps: z.array(DraftPart).max(MAX_STEPS).default([]),
  connections: z.array(DraftConnection).max(400).default([]),
});
export type Draft = z.infer<typeof Draft>;

export const BUILDER_VIEWS = ["canvas", "list"] as const;
export type BuilderView = (typeof BUILDER_VIEWS)[number];

export const BuilderQuery = z.object({
  id: z.string().max(64).optional(),
  template: z.string().max(60).optional(),
  /** A run that is drawn on the graph. */
  run: z.string().max(64).optional(),
  view: z.enum(BUILDER_VIEWS).optional().catch(undefined),
});

export interface ExpressionName {
  name: string;
  description: string;
}

/** A tried step with its sample. */
export interface Tried {
  stepId: string;
  sample: { trigger: string; steps: string };
  tried: Pick<TriedStep, "ok" | "error"> & Partial<TriedStep>;
  /** What ran before it, for a try up to the step. */
  earlier?: readonly EarlierStep[];
}

/** Something that a step needs and that isn't there. */
export interface StepWarning {
  message: string;
  /** Where it is mended, for those who may. */
  link?: { to: string; label: string };
}

/** What the server knows about a draft. */
export interface DraftFacts {
  /** By `scheduleKey`. */
  schedules: Readonly<Record<string, ScheduleText>>;
  /** Fields of the tools that its steps call, by the tool's name. */
  tools: Readonly<Record<string, readonly ToolField[]>>;
  /** By the step's id. */
  warnings: Readonly<Record<string, readonly StepWarning[]>>;
}

/** Values of the last run, as names for expressions; those of pinned outputs in their place. */
export interface ShownSamples {
  /** When the last run started, as an ISO date. */
  ranAt?: string | undefined;
  trigger: readonly ExpressionName[];
  steps: Readonly<Record<string, { isPinned: boolean; names: readonly ExpressionName[] }>>;
}
