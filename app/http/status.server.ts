import escapeHtml from "escape-html";
import { asAppError } from "~/core/as-app-error.server";
import { withBase } from "~/core/base-path";
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

const ROOT = "color-scheme:light dark;font:16px/1.5 system-ui,sans-serif";
const BODY = "margin:20vh auto;max-width:26rem;padding:0 1rem";

/**
 * A page without the console's own look, for when there is none. Its styles are attributes, which the content policy takes.
 * @param content HTML below its heading
 */
export const plainPage = (title: string, content: string): string =>
  `<!doctype html><html lang="en" style="${ROOT}"><head><meta charset="utf-8">` +
  `<meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>` +
  `<body style="${BODY}"><main><h1>${escapeHtml(title)}</h1>${content}</main></body></html>\n`;

/** For a browser that opened an address of the API: the same problem in words, with the way back. */
export function problemPage(error: unknown, requestId?: string): Response {
  const { status, title, detail } = toProblem(error, requestId);
  const trace = requestId ? `<p><small>Request ID: ${escapeHtml(requestId)}</small></p>` : "";
  const wayBack = `<p>Go back in your browser, or <a href="${escapeHtml(withBase("/"))}">open the console</a>.</p>`;
  return new Response(plainPage(title, `<p>${escapeHtml(detail)}</p>${wayBack}${trace}`), {
    status,
    headers: { ...refusalHeaders(error), "Content-Type": "text/html; charset=utf-8" },
  });
}
