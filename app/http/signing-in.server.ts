import { data } from "@remix-run/node";
import escapeHtml from "escape-html";
import { AppError, type ErrorCode } from "~/core/errors";
import { log } from "~/core/log.server";
import { endSession } from "~/team/members/session.service.server";
import { clearSessionCookie, sessionCookie, sessionSecretOf } from "./authentication.server";
import type { EdgeContext } from "./context";
import { safeReturnTo } from "./context";
import { endSessionUrl, seeOther } from "./oauth.server";

export function signedIn(
  session: { secret: string; expiresAt: number },
  returnTo: string,
  context: EdgeContext,
  headers = new Headers(),
): Response {
  headers.append("Set-Cookie", sessionCookie(session.secret, session.expiresAt, context));
  return seeOther(safeReturnTo(returnTo), headers);
}

export function linkResult<T extends { problem: string | null }>(value: T) {
  return data(value, { status: value.problem === null ? 200 : 410 });
}

const FAILURES: Partial<Record<ErrorCode, string>> = {
  unauthenticated: "expired",
  forbidden: "refused",
  cancelled: "declined",
  gone: "link",
  conflict: "conflict",
};

/** The sign-in page with the reason why an OAuth sign-in failed. The full reason is in the log. */
export function signInFailure(error: unknown, context: EdgeContext): string {
  log.warn("OAuth sign-in failed", { requestId: context.requestId, error });
  const code = error instanceof AppError ? error.code : undefined;
  const reason = (code && FAILURES[code]) ?? "unavailable";
  return `/login?error=${reason}`;
}

/**
 * Signs out, also at the provider. A browser gets a page that redirects, since `form-action` forbids
 * redirecting a form to another host.
 */
export async function signOut(request: Request, context: EdgeContext, appName: string): Promise<Response> {
  const secret = sessionSecretOf(request, context);
  const { idToken } = secret
    ? endSession(secret, { requestId: context.requestId, address: context.address })
    : {};
  const headers = new Headers({ "Cache-Control": "no-store" });
  headers.append("Set-Cookie", clearSessionCookie(context));
  if (!(request.headers.get("accept") ?? "").includes("text/html")) {
    return new Response(null, { status: 204, headers });
  }
  const away = idToken ? await endSessionUrl(idToken, context) : undefined;
  if (!away) return seeOther("/", headers);
  headers.set("Content-Type", "text/html; charset=utf-8");
  const target = escapeHtml(away);
  return new Response(
    `<!doctype html><html lang="en"><title>Signing out · ${escapeHtml(appName)}</title><meta http-equiv="refresh" content="0;url=${target}">` +
      `<p>You are signed out. <a href="${target}">Also sign out at the provider</a></p></html>`,
    { headers },
  );
}
