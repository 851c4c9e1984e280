import { retryAfterOf } from "~/core/durations";
import { guardedFetch } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { MAX_FILE_BYTES } from "~/work/extraction/formats.shared";
import { downloadName } from "./names.service.server";

/** Total time limit, and maximum silence (ms). */
export const TIMEOUT = 60_000;
export const IDLE_TIMEOUT = 15_000;

const ACCEPT =
  "text/html,application/xhtml+xml,application/pdf,text/markdown,text/plain;q=0.9,application/json;q=0.9,*/*;q=0.5";
const SIGN_IN = /(^|[/._-])(log-?in|sign-?in|signon|sso|auth|oauth2?|session\/new)([/._?-]|$)/i;

interface FetchedPage {
  finalUrl: string;
  contentType: string;
  etag: string | null;
  lastModified: string | null;
  fileName: string;
  body: AsyncIterable<Uint8Array>;
}

/** The error of an unsuccessful response; its code says whether a retry may help. */
export function toResponseError(host: string, response: Response): AppError {
  const status = `${response.status} ${response.statusText.slice(0, 100)}`.trim();
  if (response.status === 401 || response.status === 403 || response.status === 407) {
    return new AppError(
      "unprocessable",
      `${host} returned HTTP ${status}: the page needs a sign-in or blocks this console. Use a public page.`,
    );
  }
  const isTransient = response.status === 429 || response.status >= 500 || response.status === 408;
  return new AppError(
    isTransient ? "provider_unavailable" : "unprocessable",
    `${host} returned HTTP ${status}.`,
    isTransient ? retryAfterOf(response.headers) : {},
  );
}

function redirectsToSignIn(requestedUrl: string, response: Response): boolean {
  return (
    response.redirected &&
    SIGN_IN.test(new URL(response.url).pathname) &&
    !SIGN_IN.test(new URL(requestedUrl).pathname)
  );
}

/** A timeout within the body isn't retried. */
async function* streamBody(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) yield chunk;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "provider_timeout") throw error;
    throw new AppError("unprocessable", `${error.message} The page may be endless.`, {
      cause: error,
    });
  }
}

/**
 * Fetches a document through the egress guard.
 * @param validators makes the request conditional
 * @returns undefined if unchanged
 * @throws AppError with a user-facing message; transient errors have a network or provider code
 */
export async function fetchAddress(
  address: string,
  signal: AbortSignal,
  validators?: Pick<FetchedPage, "etag" | "lastModified">,
): Promise<FetchedPage | undefined> {
  const fetch = guardedFetch("ingestion", {
    timeoutMs: TIMEOUT,
    silenceMs: IDLE_TIMEOUT,
    maxBytes: MAX_FILE_BYTES,
  });
  const response = await fetch(address, {
    signal,
    headers: {
      accept: ACCEPT,
      ...(validators?.etag ? { "if-none-match": validators.etag } : {}),
      ...(validators?.lastModified ? { "if-modified-since": validators.lastModified } : {}),
    },
  });
  const { host } = new URL(response.url);
  if (validators && response.status === 304) return undefined;
  if (!response.ok || redirectsToSignIn(address, response)) {
    await response.body?.cancel();
    if (!response.ok) throw toResponseError(host, response);
    throw new AppError(
      "unprocessable",
      `${new URL(address).host} redirects to a sign-in page. Use a public page.`,
    );
  }
  if (!response.body) throw new AppError("unprocessable", `${host} sent an empty page. Check the address.`);
  return {
    finalUrl: response.url,
    contentType: (response.headers.get("content-type") ?? "").slice(0, 200),
    etag: response.headers.get("etag")?.slice(0, 500) ?? null,
    lastModified: response.headers.get("last-modified")?.slice(0, 100) ?? null,
    fileName: downloadName(response.headers.get("content-disposition"), response.url),
    body: streamBody(response.body),
  };
}
