import { AppError } from "../errors";
import type { ExchangeRequest } from "./exchange.server";

const STATUSES = new Set([301, 302, 303, 307, 308]);

/** Credential headers; they never follow a redirect to another origin. */
const CREDENTIALS = [
  "authorization",
  "cookie",
  "proxy-authorization",
  "x-api-key",
  "x-goog-api-key",
  "api-key",
] as const;

const BODY_HEADERS = ["content-type", "content-encoding", "content-language", "content-location"] as const;

export function isRedirect(status: number, headers: Headers): boolean {
  return STATUSES.has(status) && headers.has("location");
}

function losesBody(status: number, method: string): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

/**
 * Builds the redirected request (Fetch, "HTTP-redirect fetch").
 * @throws AppError for an invalid address or a body that can't be sent again
 */
export function followRedirect(
  request: ExchangeRequest,
  status: number,
  location: string,
  secretHeaders: readonly string[],
): ExchangeRequest {
  const { host } = request.url;
  if (!URL.canParse(location, request.url)) {
    throw new AppError("provider_unavailable", `${host} redirects to an invalid address.`, {
      permanent: true,
    });
  }
  const url = new URL(location, request.url);
  const headers = new Headers(request.headers);
  const drop = losesBody(status, request.method);
  if (drop) for (const name of BODY_HEADERS) headers.delete(name);
  const { body } = request;
  if (!drop && body != null && typeof body !== "string" && !(body instanceof Uint8Array)) {
    throw new AppError(
      "provider_unavailable",
      `${host} redirects this request, but its body can't be sent again.`,
      { permanent: true },
    );
  }
  if (url.origin !== request.url.origin) {
    for (const name of [...CREDENTIALS, ...secretHeaders]) headers.delete(name);
  }
  return { url, method: drop ? "GET" : request.method, headers, body: drop ? null : body };
}
