import { AppError } from "~/core/errors";
import {
  evaluateExpression,
  fillTemplate,
  type Scope,
  withinBudget,
} from "~/core/expressions/expressions.server";
import { describeIssue } from "~/core/parse";
import { wellFormedValue } from "~/core/well-formed";
import type { RunRow } from "../runs.repo.server";
import { findStepType } from "../steps/index.server";
import type { StepAt, StepField, StepType } from "../steps/step-type";
import type { WorkflowStep } from "../workflows.schema";

const MAX_DEPTH = 8;

/** The source of an expression field, with or without braces. */
export function expressionSource(value: string): string {
  const trimmed = value.trim();
  return trimmed.startsWith("{{") && trimmed.endsWith("}}") && !trimmed.slice(2, -2).includes("}}")
    ? trimmed.slice(2, -2).trim()
    : trimmed;
}

function fillValue(value: unknown, scope: Scope, depth = 0): unknown {
  if (typeof value === "string") return fillTemplate(value, scope);
  if (depth > MAX_DEPTH || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => fillValue(one, scope, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, fillValue(one, scope, depth + 1)]),
  );
}

/** Whether a field's value is one expression without braces. */
export const isExpression = ({ language }: StepField, value: unknown): boolean =>
  language === "expression" || (language === "values" && typeof value === "string");

function fillField(field: StepField, value: unknown, scope: Scope): unknown {
  if (field.language === "none") return value;
  if (isExpression(field, value))
    return typeof value === "string" && value.trim() !== ""
      ? evaluateExpression(expressionSource(value), scope)
      : value;
  if (field.language === "lines" && typeof value === "string")
    return value
      .split(/\r?\n/)
      .filter((line) => line.trim() !== "")
      .map((line) => fillTemplate(line, scope));
  return fillValue(value, scope);
}

export const stepLabel = (type: Pick<StepType, "label">, step: Pick<WorkflowStep, "id" | "name">) =>
  `${step.name || type.label} (${step.id})`;

function fillFields(type: StepType, step: WorkflowStep, scope: Scope): Record<string, unknown> {
  const config = { ...step.config };
  for (const field of type.fields.filter(({ name }) => name in config)) {
    try {
      // Functions such as substring can cut a character in two.
      config[field.name] = wellFormedValue(fillField(field, config[field.name], scope));
    } catch (error) {
      if (error instanceof AppError) throw new AppError("invalid", `${field.label}: ${error.message}`);
      throw error;
    }
  }
  return config;
}

/** Resolves expressions under one budget and parses the result. @throws AppError `invalid` with the field */
export function fillConfig(type: StepType, step: WorkflowStep, scope: Scope): unknown {
  return parseConfig(
    type,
    withinBudget(() => fillFields(type, step, scope)),
  );
}

/** @param config without expressions @throws AppError `invalid` with the field */
export function parseConfig(type: StepType, config: unknown): unknown {
  const parsed = type.config.safeParse(config, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = type.fields.find(({ name }) => name === issue?.path[0]);
  const message = `${issue?.message ?? "The configuration is invalid"}.`;
  throw new AppError("invalid", field ? `${field.label}: ${message}` : message);
}

/** The configuration that a person gave the step where a rerun begins; undefined for another step. */
export function editedConfig({ rerun }: Pick<RunRow, "rerun">, { key, step }: StepAt): unknown {
  if (rerun?.stepId !== key || rerun.input === undefined) return undefined;
  const type = findStepType(step.type);
  return type && parseConfig(type, rerun.input);
}
