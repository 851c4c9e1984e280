import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { explainStorageFault } from "~/core/storage-faults.server";
import { findStepType } from "../steps/index.server";
import { StepFailure } from "./durable";
import { stepLabel } from "./fill-config";

/** Message for users, and the failed step. */
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
