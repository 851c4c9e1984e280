import type { IncomingHttpHeaders } from "node:http";
import { redirect, redirectDocument } from "@remix-run/node";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { AppError } from "~/core/errors";
import type { Access } from "~/platform/endpoint/endpoint.shared";
import { authorise } from "~/platform/rights/authorization.server";
import { mustSetUpFactor, readSession } from "~/team/members/session.service.server";
import type { SignInMeta } from "~/team/members/sign-in.service.server";
import { readToken } from "~/team/members/token.service.server";
import type { EdgeContext } from "./context.server";
import { cookie, findCookie, readCookie } from "./cookies.server";
import { safeReturnTo, screenAddress } from "./return-to.server";

const SESSION = "qd_session";

export function sessionSecretOf(request: Request, context: EdgeContext): string | undefined {
  return readCookie(request, SESSION, context);
}

export function signInMeta(request: Request, context: EdgeContext): SignInMeta {
  return {
    address: context.address,
    requestId: context.requestId,
    userAgent: request.headers.get("user-agent") ?? undefined,
    previous: sessionSecretOf(request, context),
  };
}

/** Whether the session's person has to set up a second factor before anything else. */
export function lacksFactor(request: Request, context: EdgeContext): boolean {
  const secret = sessionSecretOf(request, context);
  return secret !== undefined && mustSetUpFactor(secret);
}

export function setUpAddress(returnTo: string): string {
  return `/login/set-up${returnTo === "/" ? "" : `?${new URLSearchParams({ returnTo })}`}`;
}

/** Also of a session that has to set up a second factor, which is none elsewhere. */
export function readSetUpActor(request: Request, context: EdgeContext): Actor | undefined {
  const secret = sessionSecretOf(request, context);
  const session = secret ? readSession(secret, { mayLackFactor: true }) : undefined;
  const { requestId, address } = context;
  return session && { ...session.actor, requestId, address };
}

export function sessionCookie(secret: string, expiresAt: number, context: EdgeContext): string {
  return cookie(SESSION, secret, (expiresAt - now()) / 1000, context);
}

export function clearSessionCookie(context: EdgeContext): string {
  return cookie(SESSION, "", 0, context);
}

/** Headers of a redirect that ends the session. The browser loads the document, as signed-out pages have no client bundle. */
export function signedOutHeaders(context: EdgeContext): HeadersInit {
  return { "Set-Cookie": clearSessionCookie(context), "X-Remix-Reload-Document": "true" };
}

const invalidToken = () =>
  new AppError("unauthenticated", "The API token is invalid or expired. Create a new one.");

const bearerOf = (authorization: string | null | undefined) =>
  /^Bearer\s+(\S+)$/i.exec(authorization ?? "")?.[1];

/** @throws AppError `unauthenticated` for an invalid token */
export function readActor({ headers }: Request, context: EdgeContext): Actor | undefined {
  const authorization = headers.get("authorization") ?? undefined;
  const actor = readEdgeActor({ authorization, cookie: headers.get("cookie") ?? undefined }, context);
  if (!actor && authorization !== undefined) throw invalidToken();
  return actor && { ...actor, requestId: context.requestId, address: context.address };
}

/** @returns undefined for an invalid token, too */
export function readEdgeActor(
  { authorization, cookie: cookies }: Pick<IncomingHttpHeaders, "authorization" | "cookie">,
  context: Pick<EdgeContext, "secure">,
): Actor | undefined {
  if (authorization !== undefined) {
    const secret = bearerOf(authorization);
    return secret ? readToken(secret) : undefined;
  }
  const secret = findCookie(cookies, SESSION, context);
  const session = secret ? readSession(secret) : undefined;
  return session && { ...session.actor, sessionId: session.sessionId };
}

const signedOut = () => new AppError("unauthenticated", "You are signed out. Sign in and try again.");

/** Tells a program that it needs a token (RFC 6750 3). */
export function challenge(error: unknown): Record<string, string> {
  const unauthenticated = error instanceof AppError && error.code === "unauthenticated";
  return unauthenticated ? { "WWW-Authenticate": 'Bearer realm="API"' } : {};
}

export function requireActor(request: Request, context: EdgeContext): Actor {
  const actor = readActor(request, context);
  if (!actor) throw signedOut();
  return actor;
}

/** Never by a cookie, which would allow cross-site requests. @throws AppError `unauthenticated` */
export function requireTokenActor({ headers }: Request, { requestId, address }: EdgeContext): Actor {
  const secret = bearerOf(headers.get("authorization")) ?? headers.get("x-api-key")?.trim();
  if (!secret)
    throw new AppError(
      "unauthenticated",
      "Send an API token: Authorization: Bearer qd_… or x-api-key: qd_….",
    );
  const actor = readToken(secret);
  if (!actor) throw invalidToken();
  return { ...actor, requestId, address };
}

/** The page of a form: its target may be no page. */
function pageOf(request: Request): string {
  const page = request.method === "GET" ? request.url : request.headers.get("referer");
  if (!page || !URL.canParse(page)) return "/";
  const { pathname, search } = screenAddress({ url: page });
  return safeReturnTo(pathname + search);
}

/** For screens: redirects to the sign-in page, which returns to this page. */
export function requireScreenActor(request: Request, context: EdgeContext): Actor {
  const actor = readActor(request, context);
  if (actor) return actor;
  const address = `/api/login?returnTo=${encodeURIComponent(pageOf(request))}`;
  // Loads a new document, so that going back restores the typed values.
  throw request.method === "GET" ? redirect(address) : redirectDocument(address);
}

/** @throws AppError `unauthenticated`; `forbidden` without the permission */
export function authoriseAccess(actor: Actor | undefined, access: Access): void {
  if (access === "public") return;
  if (!actor) throw signedOut();
  if (access !== "signed-in") authorise(actor, access);
}
