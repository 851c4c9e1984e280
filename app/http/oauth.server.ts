import { redirect } from "@remix-run/node";
import { OAuth2Tokens } from "arctic";
import { OAuth2RequestError, OAuth2Strategy } from "remix-auth-oauth2";
import { z } from "zod";
import { AppError } from "~/core/errors";
import { sign, unsign } from "~/core/signing.server";
import type { OAuthFlow } from "~/features/members/oauth.service.server";
import {
  discoverProvider,
  exchangeCode,
  type OAuthProvider,
  readUserInfo,
} from "~/features/members/oauth-provider.service.server";
import type { EdgeContext } from "./context";
import { cookie, readCookie } from "./cookies.server";
import { safeReturnTo } from "./return-to.server";

const STATE = "qd_oauth";
const FLOW = "qd_flow";
/** Time limit of a sign-in at the provider, in seconds. */
const LIFE = 15 * 60;

const Flow = z.object({
  state: z.string(),
  returnTo: z.string(),
  setup: z.string().optional(),
  invite: z.string().optional(),
});

export type SignInFlow = OAuthFlow & { returnTo: string };

interface Tokens {
  accessToken: string;
  idToken: string | undefined;
}

/** The library's strategy (state, PKCE) with the guarded fetch for the code exchange. */
class GuardedStrategy extends OAuth2Strategy<Tokens> {
  constructor(
    private readonly provider: OAuthProvider,
    context: EdgeContext,
  ) {
    super(
      {
        clientId: provider.clientId,
        clientSecret: provider.clientSecret,
        authorizationEndpoint: provider.authorizationEndpoint,
        tokenEndpoint: provider.tokenEndpoint,
        redirectURI: callbackOf(context),
        scopes: provider.scopes,
        cookie: {
          name: stateCookie(context),
          path: "/",
          maxAge: LIFE,
          httpOnly: true,
          sameSite: "Lax",
          ...(context.secure ? { secure: true } : {}),
        },
      },
      async ({ tokens }) => {
        const data = tokens.data as { id_token?: unknown };
        return {
          accessToken: tokens.accessToken(),
          idToken: typeof data.id_token === "string" ? data.id_token : undefined,
        };
      },
    );
    this.redirectUri = callbackOf(context);
  }

  private readonly redirectUri: string;

  protected override async validateAuthorizationCode(code: string, codeVerifier: string) {
    const { provider, redirectUri } = this;
    return new OAuth2Tokens(await exchangeCode(provider, { code, codeVerifier, redirectUri }));
  }
}

function callbackOf(context: EdgeContext): string {
  return `${context.origin}/api/auth/callback`;
}

function stateCookie({ secure }: EdgeContext): string {
  return secure ? `__Host-${STATE}` : STATE;
}

/** Redirects to the provider. @throws AppError `provider_unavailable` */
export async function beginOAuth(flow: SignInFlow, context: EdgeContext): Promise<Response> {
  const provider = await discoverProvider();
  const thrown = await new GuardedStrategy(provider, context)
    // A new request: a `state` in the address must not pass as the callback's.
    .authenticate(new Request(`${context.origin}/api/login`))
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  if (!(thrown instanceof Response)) throw thrown ?? new Error("The sign-in couldn't start");
  const state = new URL(thrown.headers.get("Location") ?? "").searchParams.get("state") ?? "";
  const headers = new Headers(thrown.headers);
  headers.append("Set-Cookie", cookie(FLOW, sign(JSON.stringify({ ...flow, state })), LIFE, context));
  headers.set("Cache-Control", "no-store");
  return new Response(null, { status: 302, headers });
}

function flowOf(request: Request, state: string, context: EdgeContext): SignInFlow {
  const text = unsign(readCookie(request, FLOW, context) ?? "");
  const parsed = Flow.safeParse(text === undefined ? undefined : JSON.parse(text));
  if (!parsed.success || parsed.data.state !== state) return { returnTo: "/" };
  const { setup, invite, returnTo } = parsed.data;
  return { setup, invite, returnTo: safeReturnTo(returnTo) };
}

export interface FinishedOAuth {
  claims: Awaited<ReturnType<typeof readUserInfo>>;
  idToken: string | undefined;
  flow: SignInFlow;
}

/**
 * @throws AppError `unauthenticated` for a foreign callback, `cancelled` if the sign-in was declined,
 * `provider_unavailable`, `provider_timeout`
 */
export async function finishOAuth(request: Request, context: EdgeContext): Promise<FinishedOAuth> {
  const url = new URL(request.url);
  const state = url.searchParams.get("state");
  // Without a state the library would restart the flow, possibly forever.
  if (!state) throw new AppError("unauthenticated", "The provider's response has no state.");
  const provider = await discoverProvider();
  const issuer = url.searchParams.get("iss");
  if (issuer !== null && issuer !== provider.issuer) {
    throw new AppError("unauthenticated", "The response is from another issuer (RFC 9207).");
  }
  try {
    const tokens = await new GuardedStrategy(provider, context).authenticate(request);
    const claims = await readUserInfo(provider, tokens.accessToken, tokens.idToken);
    return { claims, idToken: tokens.idToken, flow: flowOf(request, state, context) };
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
  headers.append("Set-Cookie", cookie(FLOW, "", 0, context));
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
