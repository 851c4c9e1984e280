import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whether a path has no forms: a request without a cookie can use no session there, and its errors are no pages. */
export const isForPrograms = (path: string): boolean => /^\/(?:api\/|v1\/|mcp\/*$)/.test(path);

interface OriginRequest {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
}

const text = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/**
 * Refuses cross-site changes with cookies, by `Sec-Fetch-Site` and `Origin`. Requests with a bearer token
 * or without a session need no check.
 * @throws AppError `forbidden`
 */
export function assertSameOrigin({ method, path, headers }: OriginRequest): void {
  if (SAFE.has(method)) return;
  // Only a token: with an empty or other header the cookie may still sign in.
  if (/^Bearer\s+\S/i.test(text(headers.authorization) ?? "")) return;
  if (isForPrograms(path) && headers.cookie === undefined) return;
  const origin = text(headers.origin);
  const own = [text(headers.host), hostOf(env().PUBLIC_URL ?? "")];
  if (origin !== undefined) {
    const host = hostOf(origin);
    if (host !== undefined && own.includes(host)) return;
  } else if (text(headers["sec-fetch-site"]) === "same-origin") return;
  throw new AppError(
    "forbidden",
    "This request came from another site and was refused. Open the console and try again.",
  );
}
