import { asAppError } from "~/core/as-app-error.server";
import { AppError, type ErrorCode, type FieldErrors, statusOf } from "~/core/errors";

const TITLES: Record<number, string> = {
  400: "Bad request",
  401: "Signed out",
  402: "Budget used up",
  403: "Not allowed",
  404: "Not found",
  405: "Method not allowed",
  408: "Request too slow",
  409: "Conflict",
  410: "Gone",
  413: "Too large",
  415: "Unsupported media type",
  422: "Unprocessable",
  429: "Too many requests",
  499: "Client closed the request",
  500: "Internal error",
  502: "Provider failed",
  503: "Unavailable",
  504: "Provider timed out",
  507: "Disk full",
};

/** `application/problem+json` (RFC 9457) with two own members: `code` and `requestId`. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  requestId?: string;
  errors?: FieldErrors;
}

export function toProblem(thrown: unknown, requestId?: string): Problem {
  const { code, message, fields } = asAppError(thrown, requestId);
  const status = statusOf(code);
  return {
    type: "about:blank",
    title: TITLES[status] ?? "Error",
    status,
    detail: message,
    code,
    ...(requestId ? { requestId } : {}),
    ...(fields ? { errors: fields } : {}),
  };
}

/** Headers of a response that refuses. */
export function refusalHeaders(error: unknown): Record<string, string> {
  const { allow, retryAfter } = error instanceof AppError ? error : {};
  return {
    "Cache-Control": "no-store",
    ...(allow ? { Allow: allow } : {}),
    ...(retryAfter === undefined ? {} : { "Retry-After": String(Math.ceil(retryAfter)) }),
  };
}

export function problemResponse(error: unknown, requestId?: string, headers: HeadersInit = {}): Response {
  const problem = toProblem(error, requestId);
  const all = new Headers({ ...refusalHeaders(error), ...Object.fromEntries(new Headers(headers)) });
  all.set("Content-Type", "application/problem+json; charset=utf-8");
  return new Response(JSON.stringify(problem), { status: problem.status, headers: all });
}
