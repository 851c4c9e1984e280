import { z } from "zod";
import { steadyNow } from "~/core/clock.server";
import { guardedFetch } from "~/core/egress/index.server";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";
import { type Claims, readClaims } from "./oauth-claims.server";

const LIMITS = { timeoutMs: 10_000, maxBytes: 256 * 1024 } as const;
/** Cache time of the discovery document, in ms. */
const CACHE_TIME = 60 * 60_000;

const Endpoint = z.url({ protocol: /^https?$/ });
const Discovery = z.object({
  issuer: z.string().max(2000),
  authorization_endpoint: Endpoint,
  token_endpoint: Endpoint,
  userinfo_endpoint: Endpoint,
  end_session_endpoint: Endpoint.optional().catch(undefined),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(["client_secret_basic"]),
});

export interface OAuthProvider {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  /** For providers that don't accept Basic credentials. */
  secretInBody: boolean;
  scopes: string[];
  authorizationEndpoint: string;
  tokenEndpoint: string;
  userinfoEndpoint: string;
  endSessionEndpoint: string | undefined;
}

export function oauthConfigured(): boolean {
  return env().OAUTH_ISSUER !== undefined;
}

/** The provider's host, for the sign-in button. */
export function oauthProviderName(): string | undefined {
  const issuer = env().OAUTH_ISSUER;
  return issuer ? new URL(issuer).host : undefined;
}

const trimSlashes = (issuer: string) => issuer.replace(/\/+$/, "");

async function readJson(purpose: string, address: string, init: RequestInit): Promise<unknown> {
  const { OAUTH_ISSUER } = env();
  // The operator set the issuer, so it may be on a private network.
  const fetchGuarded = guardedFetch(purpose, { ...LIMITS, allowOrigins: [OAUTH_ISSUER ?? "", address] });
  const headers = new Headers(init.headers);
  headers.set("Accept", "application/json");
  const response = await fetchGuarded(address, { ...init, headers });
  if (!response.ok) throw new Error(`${purpose} returned HTTP ${response.status}`);
  return parseWellFormed(await response.text());
}

let cached: { provider: OAuthProvider; until: number; key: string } | undefined;

/** OpenID Connect Discovery 1.0, cached for an hour. @throws AppError `provider_unavailable` */
export async function discoverProvider(): Promise<OAuthProvider> {
  const { OAUTH_ISSUER, OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET, OAUTH_SCOPES } = env();
  if (!OAUTH_ISSUER || !OAUTH_CLIENT_ID) throw new AppError("unavailable", "No sign-in provider is set up.");
  const key = `${OAUTH_ISSUER} ${OAUTH_CLIENT_ID}`;
  if (cached && cached.key === key && steadyNow() < cached.until) return cached.provider;
  try {
    const address = `${trimSlashes(OAUTH_ISSUER)}/.well-known/openid-configuration`;
    const document = Discovery.parse(await readJson("oauth:discovery", address, {}));
    // Section 4.3: the issuer must match.
    if (trimSlashes(document.issuer) !== trimSlashes(OAUTH_ISSUER))
      throw new Error("The document names another issuer");
    const provider = {
      issuer: document.issuer,
      clientId: OAUTH_CLIENT_ID,
      clientSecret: OAUTH_CLIENT_SECRET ?? null,
      secretInBody: !document.token_endpoint_auth_methods_supported.includes("client_secret_basic"),
      scopes: OAUTH_SCOPES.split(/\s+/),
      authorizationEndpoint: document.authorization_endpoint,
      tokenEndpoint: document.token_endpoint,
      userinfoEndpoint: document.userinfo_endpoint,
      endSessionEndpoint: document.end_session_endpoint,
    };
    cached = { provider, key, until: steadyNow() + CACHE_TIME };
    return provider;
  } catch (cause) {
    throw new AppError("provider_unavailable", "The sign-in provider can't be reached.", { cause });
  }
}

const TokenResponse = z.looseObject({ access_token: z.string().min(1).max(20_000) });

/** RFC 6749 2.3.1: form-encoded inside Basic credentials. */
function basic(id: string, secret: string): string {
  const encode = (value: string) => new URLSearchParams([["", value]]).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString("base64")}`;
}

/** RFC 6749 4.1.3 with RFC 7636. @throws Error for a refused code or an invalid response */
export async function exchangeCode(
  provider: OAuthProvider,
  grant: { code: string; codeVerifier: string; redirectUri: string },
): Promise<object> {
  const { clientId, clientSecret, secretInBody } = provider;
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code: grant.code,
    redirect_uri: grant.redirectUri,
    code_verifier: grant.codeVerifier,
  });
  const inBody = clientSecret === null || secretInBody;
  if (inBody) body.set("client_id", clientId);
  if (inBody && clientSecret !== null) body.set("client_secret", clientSecret);
  const response = await readJson("oauth:token", provider.tokenEndpoint, {
    method: "POST",
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      ...(inBody ? {} : { Authorization: basic(clientId, clientSecret ?? "") }),
    },
    body: body.toString(),
    // A redirect would send code and secret elsewhere.
    redirect: "error",
  });
  return TokenResponse.parse(response);
}

/** Userinfo of the token's holder. */
export async function readUserInfo(
  provider: OAuthProvider,
  accessToken: string,
  idToken: string | undefined,
): Promise<Claims> {
  const info = await readJson("oauth:userinfo", provider.userinfoEndpoint, {
    headers: { Authorization: `Bearer ${accessToken}` },
  });
  return readClaims(info, idToken, provider);
}
