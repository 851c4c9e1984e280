import { asAppError } from "~/core/as-app-error.server";
import { AppError, type ErrorCode, type FieldErrors } from "~/core/errors";

/** HTTP status by error code. 499: the client disconnected. */
const STATUS: Record<ErrorCode, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_media: 415,
  rate_limited: 429,
  budget_exceeded: 402,
  egress_refused: 422,
  guardrail: 422,
  unprocessable: 422,
  provider_missing: 409,
  provider_key: 502,
  provider_model: 400,
  provider_quota: 503,
  provider_rejected: 502,
  provider_timeout: 504,
  provider_unavailable: 502,
  timeout: 408,
  cancelled: 499,
  unavailable: 503,
  disk_full: 507,
  damaged: 500,
  internal: 500,
};

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
  const status = STATUS[code];
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
