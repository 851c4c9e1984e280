import { AppError } from "~/core/errors";
import { explainStorageFault } from "~/core/storage-faults.server";

/** The user-facing message; unexpected errors are only logged. */
export function messageOf(thrown: unknown): string {
  const error = explainStorageFault(thrown);
  return error instanceof AppError
    ? error.message
    : "The step failed unexpectedly. See the server log for the reason.";
}

/** Whether a retry can't help. */
export const isFinal = (error: unknown) =>
  error instanceof AppError && ["invalid", "forbidden", "not_found", "egress_refused"].includes(error.code);
