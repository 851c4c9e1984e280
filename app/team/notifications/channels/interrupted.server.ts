import { AppError, type ErrorCode } from "~/core/errors";

/** Connection errors of Node, undici and nodemailer. */
const INTERRUPTED = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "ECONNECTION", "ESOCKET", "ETIMEDOUT"]);

export const isCode = (error: unknown, code: ErrorCode): boolean =>
  error instanceof AppError && error.code === code;

/** An open connection ended; one that failed to open sent nothing. */
export function isInterrupted(error: unknown): boolean {
  if (!(error instanceof AppError) || !(error.cause instanceof Error)) return false;
  const { code, responseCode } = error.cause as Error & { code?: string; responseCode?: number };
  return responseCode === undefined && code !== undefined && INTERRUPTED.has(code);
}
