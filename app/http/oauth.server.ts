import { redirect } from "@remix-run/node";
import { OAuth2RequestError } from "remix-auth-oauth2";
import { AppError } from "~/core/errors";
import { discoverProvider } from "~/team/members/oauth-provider.service.server";
import { authenticate, type SignedIn } from "./authenticator.server";
import type { EdgeContext } from "./context";
import { endedFlowCookie, flowCookie, type SignInFlow } from "./oauth-flow.server";
import { stateCookie, stateIn } from "./oauth-strategy.server";

/** Redirects to the provider. @throws AppError `provider_unavailable` */
export async function beginOAuth(flow: SignInFlow, context: EdgeContext): Promise<Response> {
  // A new request: a `state` in the address must not pass as the callback's.
  const request = new Request(`${context.origin}/api/login`);
  const thrown = await authenticate("oauth", request, context).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(thrown instanceof Response)) throw thrown ?? new Error("The sign-in couldn't start");
  const headers = new Headers(thrown.headers);
  headers.append("Set-Cookie", flowCookie(flow, stateIn(thrown.headers.get("Location") ?? ""), context));
  headers.set("Cache-Control", "no-store");
  return new Response(null, { status: 302, headers });
}

/**
 * Signs in the person whom the provider sends back.
 * @throws AppError `unauthenticated` for a foreign callback, `cancelled` if the sign-in was declined,
 * `provider_unavailable`, `provider_timeout`, and those of `signInWithIdentity`
 */
export async function finishOAuth(request: Request, context: EdgeContext): Promise<SignedIn> {
  // Without a state the library would restart the flow, possibly forever.
  if (!stateIn(request.url)) throw new AppError("unauthenticated", "The provider's response has no state.");
  const provider = await discoverProvider();
  const issuer = new URL(request.url).searchParams.get("iss");
  if (issuer !== null && issuer !== provider.issuer) {
    throw new AppError("unauthenticated", "The response is from another issuer (RFC 9207).");
  }
  try {
    return await authenticate("oauth", request, context);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    if (cause instanceof RangeError || cause instanceof ReferenceError) {
      throw new AppError("unauthenticated", "The sign-in expired or was started in another window.", {
        cause,
      });
    }
    if (cause instanceof OAuth2RequestError && cause.code === "access_denied") {
      throw new AppError("cancelled", "The provider declined the sign-in.", { cause });
    }
    throw new AppError("provider_unavailable", "The provider's response is invalid.", { cause });
  }
}

export function clearOAuthCookies(request: Request, context: EdgeContext): Headers {
  const headers = new Headers();
  headers.append("Set-Cookie", endedFlowCookie(context));
  const secure = context.secure ? "; Secure" : "";
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const name = pair.split("=")[0]?.trim() ?? "";
    if (!/^[\w:-]+$/.test(name) || !name.startsWith(`${stateCookie(context)}:`)) continue;
    headers.append("Set-Cookie", `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${secure}`);
  }
  return headers;
}

export async function endSessionUrl(idToken: string, context: EdgeContext): Promise<string | undefined> {
  const provider = await discoverProvider().catch(() => undefined);
  if (!provider?.endSessionEndpoint) return undefined;
  const url = new URL(provider.endSessionEndpoint);
  // Servers refuse very long addresses.
  if (idToken.length < 6000) url.searchParams.set("id_token_hint", idToken);
  url.searchParams.set("client_id", provider.clientId);
  url.searchParams.set("post_logout_redirect_uri", `${context.origin}/`);
  return url.href;
}

export function seeOther(url: string, headers: HeadersInit): Response {
  return redirect(url, { status: 303, headers });
}
