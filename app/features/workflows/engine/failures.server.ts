import { AppError } from "~/core/errors";

/** What a person reads of a failure; what wasn't expected stays in the log. */
export const messageOf = (error: unknown) =>
  error instanceof AppError
    ? error.message
    : "The step failed unexpectedly. See the server log for the reason.";

/** A failure that another attempt can't change. */
export const isFinal = (error: unknown) =>
  error instanceof AppError && ["invalid", "forbidden", "not_found", "egress_refused"].includes(error.code);
