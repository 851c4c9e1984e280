import { AppError } from "~/core/errors";

/** The user-facing message; unexpected errors are only logged. */
export const messageOf = (error: unknown) =>
  error instanceof AppError
    ? error.message
    : "The step failed unexpectedly. See the server log for the reason.";

/** Whether a retry can't help. */
export const isFinal = (error: unknown) =>
  error instanceof AppError && ["invalid", "forbidden", "not_found", "egress_refused"].includes(error.code);
