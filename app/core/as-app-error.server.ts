import { AppError, type ErrorCode } from "./errors";
import { log } from "./log.server";
import { explainStorageFault } from "./storage-faults.server";

const LOGGED: ReadonlySet<ErrorCode> = new Set([
  "invalid",
  "forbidden",
  "too_large",
  "unsupported_media",
  "rate_limited",
  "budget_exceeded",
  "unavailable",
  "disk_full",
]);

/** What callers may see of an error. Unexpected errors are logged in full and reveal nothing. */
export function asAppError(thrown: unknown, requestId?: string): AppError {
  const error = explainStorageFault(thrown);
  const appError = error instanceof AppError ? error : undefined;
  const request = requestId ? { requestId } : {};
  if (!appError || appError.code === "damaged") log.error("unexpected error", { error, ...request });
  if (appError && LOGGED.has(appError.code))
    log.info("refused", { code: appError.code, reason: appError.message, ...request });
  const unexpected = "Something went wrong on the server. Find the reason in its log by the request ID.";
  return appError ?? new AppError("internal", unexpected);
}
