import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

interface Asked {
  method: string;
  path: string;
  /** Lower-case names. */
  headers: Record<string, string | string[] | undefined>;
}

const text = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/**
 * Refuses a cross-site change made with this person's cookies. A browser reports the requesting site in
 * `Sec-Fetch-Site` and `Origin`; a request with neither is no browser's form. Programs with a bearer token carry no
 * cookies and need no proof, nor do signed-out API calls, which end in 401 anyway.
 * @throws AppError `forbidden`
 */
export function assertSameOrigin({ method, path, headers }: Asked): void {
  if (SAFE.has(method)) return;
  if (headers.authorization !== undefined) return;
  if (path.startsWith("/api/") && headers.cookie === undefined) return;
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
