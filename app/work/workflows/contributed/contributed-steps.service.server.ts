import { z } from "zod";
import { kept } from "~/core/process.server";
import { choice, fromJson, isBlank, numeric, requiredText, text, toggle } from "../steps/step-config";
import { defineStep, type Json, type StepField, type StepType } from "../steps/step-type";
import type { ContributedField, ContributedStep, ContributedTemplate } from "./contributed.schema";

export interface SourceStep {
  /** Such as `diagram-maker.chart`; unique, up to 40 characters. */
  type: string;
  tool: string;
  from: string;
  step: ContributedStep;
}

interface SourceTemplate {
  from: string;
  /** With a unique id. */
  template: ContributedTemplate;
}

/** A source of steps and templates, such as plugins. */
export interface WorkflowSource {
  /** All known steps: stored workflows keep labels and fields while one is unavailable. */
  steps(): readonly SourceStep[];
  /** Why a step is unavailable; undefined if available or another source's. */
  explainUnavailableStep(orgId: string, type: string): string | undefined;
  /** Currently available. */
  templates(orgId: string): readonly SourceTemplate[];
}

export const workflowSources = () => kept("workflow sources", () => new Set<WorkflowSource>());

/** @returns a function to unregister */
export function registerWorkflowSource(source: WorkflowSource): () => void {
  workflowSources().add(source);
  return () => void workflowSources().delete(source);
}

function schemaOf({ control, required, label }: ContributedField): z.ZodType {
  switch (control.kind) {
    case "number":
      return numeric(control.min, control.max, { whole: Number.isInteger(control.step) }).default(
        control.default,
      );
    case "select": {
      const values = control.options.map(({ value }) => value);
      return choice(values as [string, ...string[]], control.default as never);
    }
    case "switch":
      return toggle(control.default);
    case "expression":
      return z
        .unknown()
        .transform((value) => (value === "" ? undefined : fromJson(value)))
        .refine((value) => !required || (value !== undefined && value !== null), `Enter ${label}`);
    default:
      return required ? requiredText(`Enter ${label}`) : text();
  }
}

function fieldOf({ name, label, hint, control }: ContributedField): StepField {
  const { default: _, ...rest } = control;
  const language = control.kind === "code" ? { language: "text" as const } : {};
  return { name, label, ...(hint ? { hint } : {}), control: rest, ...language };
}

function toStepType({ type, tool, step }: SourceStep): StepType {
  const { label, description, category, fields, outputs } = step;
  return defineStep({
    type,
    label,
    description,
    category,
    node: category === "Output" ? "output" : "action",
    icon: "Puzzle",
    defaults: Object.fromEntries(fields.map(({ name, control }) => [name, control.default])),
    config: z.object(Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)]))),
    fields: fields.map(fieldOf),
    outputs,
    repeatable: false,
    timeoutMs: 120_000,
    async run({ config, services }) {
      // Blank fields take the tool's defaults.
      const input = Object.fromEntries(Object.entries(config).filter(([, value]) => !isBlank(value)));
      return { output: await services.callTool(tool, input as Json) };
    },
  });
}

// Sources return the same steps each time.
const cache = new WeakMap<SourceStep, StepType>();

/** Including unavailable ones. */
export function contributedStepTypes(): StepType[] {
  return [...workflowSources()].flatMap((source) =>
    source.steps().map((step) => {
      const type = cache.get(step) ?? toStepType(step);
      cache.set(step, type);
      return type;
    }),
  );
}

/** @returns the reason why a step is unavailable; undefined if it is available or built in */
export function explainUnavailableStep(orgId: string, type: string): string | undefined {
  for (const source of workflowSources()) {
    const reason = source.explainUnavailableStep(orgId, type);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
