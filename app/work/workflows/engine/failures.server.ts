import type { Db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { explainStorageFault } from "~/core/storage-faults.server";
import { findStepType } from "../steps/index.server";
import type { StepAt } from "../steps/step-type";
import { stepLabel } from "./fill-config";

/** A step's final failure; its message is for users. */
export class StepFailure extends Error {
  constructor(
    readonly at: StepAt,
    message: string,
  ) {
    super(message);
  }
}

/** Suspends a waiting run, or one of its branches, for a later replay. */
export class Suspended extends Error {
  constructor(
    /** Of the step that waits. */
    readonly at: StepAt,
    /** Committed with the suspension. */
    readonly arrange: (tx: Db) => void,
  ) {
    super("suspended");
  }

  get key(): string {
    return this.at.key;
  }
}

/** The user-facing message; unexpected errors are only logged. */
export function messageOf(thrown: unknown): string {
  const error = explainStorageFault(thrown);
  return error instanceof AppError
    ? error.message
    : "The step failed unexpectedly. See the server log for the reason.";
}

/** Whether a retry can't help. */
export const isFinal = (error: unknown) =>
  error instanceof AppError &&
  ["invalid", "forbidden", "not_found", "egress_refused", "guardrail", "budget_exceeded"].includes(
    error.code,
  );

/** Why a run failed, for users, and the failed step. */
export function describeFailure(thrown: unknown): { message: string; stepId: string | null } {
  const error = explainStorageFault(thrown);
  if (error instanceof StepFailure) {
    const type = findStepType(error.at.step.type);
    const label = type ? stepLabel(type, error.at.step) : error.at.step.id;
    return { message: `${label}: ${error.message}`, stepId: error.at.step.id };
  }
  if (error instanceof AppError) return { message: error.message, stepId: null };
  log.error("a workflow run failed unexpectedly", { error });
  return { message: "The run failed unexpectedly. See the server log for the reason.", stepId: null };
}
