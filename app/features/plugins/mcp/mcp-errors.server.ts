import { AppError } from "~/core/errors";

const MAX_DEPTH = 5;

/** Libraries wrap what their `fetch` throws. */
function ownError(error: unknown): AppError | undefined {
  let current = error;
  for (let depth = 0; depth < MAX_DEPTH && current instanceof Error; depth++) {
    if (current instanceof AppError) return current;
    current = current.cause;
  }
  return undefined;
}

const firstLine = (text: string) => text.replaceAll(/\s+/g, " ").trim().slice(0, 300);

/** Contains nothing of the request's headers. */
export function toAppError(error: unknown, title: string): AppError {
  const own = ownError(error);
  if (own) return own;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (name === "UnauthorizedError" || /\b401\b/.test(message))
    return new AppError("provider_key", `${title} refused the sign-in. Check its key reference.`, {
      cause: error,
    });
  // Validation errors are lists for programs.
  if (name === "ZodError" || message.startsWith("["))
    return new AppError("provider_unavailable", `${title} sent a response that isn't valid.`, {
      cause: error,
    });
  if (/timed? ?out/i.test(message))
    return new AppError("provider_timeout", `${title} didn't answer in time.`, { cause: error });
  return new AppError("provider_unavailable", `${title}: ${firstLine(message) || "the connection failed"}`, {
    cause: error,
  });
}
