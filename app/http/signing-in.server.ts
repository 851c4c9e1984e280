import { data, redirect } from "@remix-run/node";
import { OAuth2Tokens } from "arctic";
import escapeHtml from "escape-html";
import { Authenticator } from "remix-auth";
import { Strategy } from "remix-auth/strategy";
import { OAuth2RequestError, OAuth2Strategy } from "remix-auth-oauth2";
import { z } from "zod";
import { now } from "~/core/clock.server";
import { AppError, type ErrorCode } from "~/core/errors";
import { log } from "~/core/log.server";
import { macOf, sign, unsign } from "~/core/secrets.server";
import { parseWellFormed } from "~/core/well-formed";
import { type OAuthFlow, SignInRefusal, signInWithIdentity } from "~/team/members/oauth.service.server";
import {
  type Claims,
  discoverProvider,
  exchangeCode,
  type OAuthProvider,
  readIdentity,
} from "~/team/members/oauth-provider.service.server";
import { startAddress } from "~/team/members/preferences.service.server";
import { endSession, mustSetUpFactor, readSession } from "~/team/members/session.service.server";
import { type NewSession, type SignInStep, signIn } from "~/team/members/sign-in.service.server";
import {
  clearSessionCookie,
  sessionCookie,
  sessionSecretOf,
  setUpAddress,
  signInMeta,
} from "./authentication.server";
import type { EdgeContext } from "./context.server";
import { cookie, cookieName, cookiePath, readCookie } from "./cookies.server";
import { safeReturnTo } from "./return-to.server";

/** Sets the cookie of the session, or leads to the form that asks for the code. */
export function signedIn(
  { secret, expiresAt, needsCode }: NewSession & Partial<SignInStep>,
  returnTo: string,
  context: EdgeContext,
  headers = new Headers(),
): Response {
  const to = safeReturnTo(returnTo);
  if (needsCode) {
    headers.append("Set-Cookie", cookie(HALF, secret, (expiresAt - now()) / 1000, context));
    const search = to === "/" ? "" : `?${new URLSearchParams({ returnTo: to })}`;
    return redirect(`/login/code${search}`, { status: 303, headers });
  }
  headers.append("Set-Cookie", sessionCookie(secret, expiresAt, context));
  const address = mustSetUpFactor(secret) ? setUpAddress(to) : to === "/" ? startOf(secret) : to;
  return redirect(address, { status: 303, headers });
}

function startOf(secret: string): string {
  const actor = readSession(secret)?.actor;
  return actor ? startAddress(actor) : "/";
}

/** Proof of the right password while the code is awaited; no session. */
const HALF = "qd_sign_in";

export function halfSignInOf(request: Request, context: EdgeContext): string | undefined {
  return readCookie(request, HALF, context);
}

export function endedHalfSignIn(context: EdgeContext): Headers {
  return new Headers({ "Set-Cookie": cookie(HALF, "", 0, context) });
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
  provider_rejected: "answer",
};

/** The sign-in page with the reason why an OAuth sign-in failed. The full reason is in the log. */
export function signInFailure(error: unknown, context: EdgeContext): string {
  log.warn("OAuth sign-in failed", { requestId: context.requestId, error });
  const code = error instanceof AppError ? error.code : undefined;
  const refusal = error instanceof SignInRefusal ? error.reason : undefined;
  const reason = refusal ?? (code && FAILURES[code]) ?? "unavailable";
  return `/login?error=${reason}`;
}

/** Signs out, also at the provider. `form-action` forbids redirecting a form to another host, so a page redirects. */
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
  if (!away) return redirect("/", { status: 303, headers });
  headers.set("Content-Type", "text/html; charset=utf-8");
  const target = escapeHtml(away);
  return new Response(
    `<!doctype html><html lang="en"><title>Signing out · ${escapeHtml(appName)}</title><meta http-equiv="refresh" content="0;url=${target}">` +
      `<p>You are signed out. <a href="${target}">Also sign out at the provider</a></p></html>`,
    { headers },
  );
}

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
    headers.append(
      "Set-Cookie",
      `${name}=; Path=${cookiePath()}; Max-Age=0; HttpOnly; SameSite=Lax${secure}`,
    );
  }
  return headers;
}

async function endSessionUrl(idToken: string, context: EdgeContext): Promise<string | undefined> {
  const provider = await discoverProvider().catch(() => undefined);
  if (!provider?.endSessionEndpoint) return undefined;
  const url = new URL(provider.endSessionEndpoint);
  // Servers refuse very long addresses.
  if (idToken.length < 6000) url.searchParams.set("id_token_hint", idToken);
  url.searchParams.set("client_id", provider.clientId);
  url.searchParams.set("post_logout_redirect_uri", `${context.origin}/`);
  return url.href;
}

const STATE = "qd_oauth";
const OAUTH_LIFE = 15 * 60;

const stateCookie = (context: Pick<EdgeContext, "secure">): string => cookieName(STATE, context);

const stateIn = (address: string | URL): string => new URL(address).searchParams.get("state") ?? "";

/** Binds the ID token to the browser's sign-in, as its cookie holds the state. */
const nonceOf = (state: string): string => macOf(`nonce:${state}`);

interface Identity {
  claims: Claims;
  idToken: string | undefined;
  state: string;
}

type Verify<User> = Strategy.VerifyFunction<User, Identity>;

/** The library's strategy (state, PKCE) with a nonce, and the guarded fetch for the code exchange. */
class GuardedStrategy<User> extends OAuth2Strategy<User> {
  private readonly redirectUri: string;

  constructor(
    private readonly provider: OAuthProvider,
    context: Pick<EdgeContext, "origin" | "secure">,
    verify: Verify<User>,
  ) {
    const redirectURI = `${context.origin}/api/auth/callback`;
    super(
      {
        clientId: provider.clientId,
        clientSecret: provider.clientSecret,
        authorizationEndpoint: provider.authorizationEndpoint,
        tokenEndpoint: provider.tokenEndpoint,
        redirectURI,
        scopes: provider.scopes,
        cookie: {
          name: stateCookie(context),
          path: cookiePath(),
          maxAge: OAUTH_LIFE,
          httpOnly: true,
          sameSite: "Lax",
          ...(context.secure ? { secure: true } : {}),
        },
      },
      async ({ request, tokens }) => {
        const data = tokens.data as { id_token?: unknown };
        const idToken = typeof data.id_token === "string" ? data.id_token : undefined;
        const state = stateIn(request.url);
        const accessToken = tokens.accessToken();
        const claims = await readIdentity(provider, { accessToken, idToken }, nonceOf(state));
        return verify({ claims, idToken, state });
      },
    );
    this.redirectUri = redirectURI;
  }

  protected override authorizationParams(params: URLSearchParams): URLSearchParams {
    const own = new URLSearchParams(params);
    own.set("nonce", nonceOf(params.get("state") ?? ""));
    return own;
  }

  protected override async validateAuthorizationCode(code: string, codeVerifier: string) {
    const { provider, redirectUri } = this;
    return new OAuth2Tokens(await exchangeCode(provider, { code, codeVerifier, redirectUri }));
  }
}

class ProviderStrategy<User> extends Strategy<User, Identity> {
  override name = "oauth";

  constructor(
    private readonly context: Pick<EdgeContext, "origin" | "secure">,
    verify: Verify<User>,
  ) {
    super(verify);
  }

  /** @throws Response that redirects to the provider if the address has no state */
  override async authenticate(request: Request): Promise<User> {
    const provider = await discoverProvider();
    return new GuardedStrategy(provider, this.context, this.verify).authenticate(request);
  }
}

const FLOW = "qd_flow";

const Flow = z.object({
  state: z.string(),
  returnTo: z.string(),
  setup: z.string().optional(),
  invite: z.string().optional(),
});

type SignInFlow = OAuthFlow & { returnTo: string };

function flowCookie(flow: SignInFlow, state: string, context: EdgeContext): string {
  return cookie(FLOW, sign(JSON.stringify({ ...flow, state })), OAUTH_LIFE, context);
}

const endedFlowCookie = (context: EdgeContext): string => cookie(FLOW, "", 0, context);

/** The sign-in that began with the state; without it the person comes to the first page. */
function readFlow(request: Request, state: string, context: EdgeContext): SignInFlow {
  const text = unsign(readCookie(request, FLOW, context) ?? "");
  const parsed = Flow.safeParse(text === undefined ? undefined : parseWellFormed(text));
  if (!parsed.success || parsed.data.state !== state) return { returnTo: "/" };
  const { setup, invite, returnTo } = parsed.data;
  return { setup, invite, returnTo: safeReturnTo(returnTo) };
}

type Credentials = Parameters<typeof signIn>[0];

/** A finished sign-in; without a session the person waits for an admin. */
export interface SignedIn {
  session: (NewSession & Partial<SignInStep>) | undefined;
  returnTo: string;
}

class LocalStrategy extends Strategy<SignedIn, FormData> {
  override name = "local";

  override async authenticate(request: Request): Promise<SignedIn> {
    return this.verify(await request.formData());
  }
}

/** Of one request, since the library passes on a copy of it alone. */
const authenticatorOf = (request: Request, context: EdgeContext) =>
  new Authenticator<SignedIn>()
    .use(
      new LocalStrategy(async (form) => {
        const field = (name: keyof Credentials) => String(form.get(name) ?? "");
        const input = { email: field("email"), password: field("password") };
        const session = await signIn(input, signInMeta(request, context));
        return { session, returnTo: "/" };
      }),
    )
    .use(
      new ProviderStrategy<SignedIn>(context, async ({ claims, idToken, state }) => {
        const flow = readFlow(request, state, context);
        const outcome = signInWithIdentity(claims, flow, { ...signInMeta(request, context), idToken });
        return { session: outcome.waiting ? undefined : outcome, returnTo: flow.returnTo };
      }),
    );

/** @throws what the strategy throws; a Response of `oauth` redirects to the provider */
function authenticate(
  strategy: "local" | "oauth",
  request: Request,
  context: EdgeContext,
): Promise<SignedIn> {
  return authenticatorOf(request, context).authenticate(strategy, request);
}

/** Signs in to a built-in account. @throws as `signIn` */
export async function authenticateForm(
  { email, password }: Credentials,
  { url, headers }: Request,
  context: EdgeContext,
) {
  const own = new Headers(headers);
  // The body is a new one.
  for (const name of ["content-type", "content-length"]) own.delete(name);
  const body = new URLSearchParams({ email, password });
  const { session } = await authenticate(
    "local",
    new Request(url, { method: "POST", headers: own, body }),
    context,
  );
  if (!session) throw new Error("A built-in account needs no admin's consent");
  return session;
}
