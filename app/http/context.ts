import type { ServerResponse } from "node:http";
import { redirect } from "@remix-run/node";
import type { AppError } from "~/core/errors";
import type { EdgeRequest } from "./edge-policy.server";

export interface EdgeContext {
  cspNonce: string;
  requestId: string;
  address: string;
  /** Whether the browser uses HTTPS, to the console or a proxy. */
  secure: boolean;
  origin: string;
  /** Aborts with an AppError when the client disconnects, and at the response's end: `request.signal` can be garbage-collected. */
  closed: AbortSignal;
  /** Runs something once the response was handed over, or its connection has closed. */
  afterwards: (run: () => void) => void;
  waiting: () => number;
  cutOff: () => void;
  retryAfter: (seconds: number) => void;
  /** Reason for refusing the request, which a screen's action shows. */
  refusal?: AppError;
}

interface DescribedRequest {
  context: EdgeContext;
  described: EdgeRequest;
}

const requests = new WeakMap<ServerResponse, DescribedRequest>();

export const noteRequest = (response: ServerResponse, request: DescribedRequest) =>
  void requests.set(response, request);

export function requestOf(response: ServerResponse): DescribedRequest {
  const request = requests.get(response);
  if (!request) throw new Error("The request didn't come through the edge.");
  return request;
}

export type StreamClient = Pick<EdgeContext, "closed" | "waiting" | "cutOff">;

declare module "@remix-run/node" {
  // Keeps the types of loader and action data.
  interface Future {
    v3_singleFetch: true;
  }
  interface AppLoadContext extends EdgeContext {}
}

type Secure = Pick<EdgeContext, "secure">;

/** `__Host-` binds a cookie to this host over HTTPS; browsers refuse the prefix on plain HTTP. */
function cookieName(name: string, { secure }: Secure): string {
  return secure ? `__Host-${name}` : name;
}

export function readCookie(request: Request, name: string, context: Secure): string | undefined {
  return findCookie(request.headers.get("cookie") ?? undefined, name, context);
}

export function findCookie(header: string | undefined, name: string, context: Secure): string | undefined {
  const fullName = cookieName(name, context);
  for (const pair of (header ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === fullName) return pair.slice(at + 1).trim();
  }
  return undefined;
}

export function cookie(
  name: string,
  value: string,
  maxAge: number,
  context: Secure,
  isForScripts = false,
): string {
  const parts = [
    `${cookieName(name, context)}=${value}`,
    "Path=/",
    `Max-Age=${Math.max(0, Math.floor(maxAge))}`,
  ];
  if (!isForScripts) parts.push("HttpOnly");
  parts.push("SameSite=Lax");
  if (context.secure) parts.push("Secure");
  return parts.join("; ");
}

const PLACEHOLDER_ORIGIN = "http://console.invalid";
/** Paths that aren't pages or would cause a redirect loop. */
const NO_PAGE = /^\/(api\/|login$|logout$)/;

export function safeReturnTo(value: unknown): string {
  if (typeof value !== "string" || value.length > 2000) return "/";
  if (
    !/^\/(?!\/)[\x21-\x7e]*$/.test(value) ||
    value.includes("\\") ||
    !URL.canParse(value, PLACEHOLDER_ORIGIN)
  )
    return "/";
  const url = new URL(value, PLACEHOLDER_ORIGIN);
  if (url.origin !== PLACEHOLDER_ORIGIN || url.pathname.startsWith("//") || NO_PAGE.test(url.pathname))
    return "/";
  return url.pathname + url.search + url.hash;
}

/** The page below a dialog, with its search, filters and page number. @param more parameters of the dialog */
export function withoutDialog({ pathname, searchParams }: URL, ...more: string[]): string {
  const parameters = new URLSearchParams(searchParams);
  for (const name of ["dialog", "id", ...more]) parameters.delete(name);
  return parameters.size > 0 ? `${pathname}?${parameters}` : pathname;
}

export function refererPath({ headers }: Request): string | undefined {
  const referer = headers.get("referer") ?? "";
  if (!URL.canParse(referer)) return undefined;
  const { pathname, search } = new URL(referer);
  return safeReturnTo(pathname + search);
}

/** Removes empty parameters, which filter forms add. @param allowedEmpty names whose empty values are meaningful */
export function redirectToFilled(
  request: Request,
  allowedEmpty: readonly string[] = [],
): Response | undefined {
  const url = new URL(request.url);
  const filled = [...url.searchParams].filter(([name, value]) => value !== "" || allowedEmpty.includes(name));
  if (filled.length === url.searchParams.size) return undefined;
  const search = new URLSearchParams(filled);
  return redirect(search.size > 0 ? `${url.pathname}?${search}` : url.pathname);
}
