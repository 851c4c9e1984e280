import { z } from "zod";
import { steadyNow } from "~/core/clock.server";
import { guardedFetch } from "~/core/egress/index.server";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { parseWellFormed } from "~/core/well-formed";
import { verifyIdToken } from "./id-token.server";
import { type Claims, readClaims } from "./oauth-claims.server";

export type { Claims };

const LIMITS = { timeoutMs: 10_000, maxBytes: 256 * 1024 } as const;
/** Cache time of the discovery document, in ms. */
const CACHE_TIME = 60 * 60_000;

const Endpoint = z.url({ protocol: /^https?$/ });
const Discovery = z.object({
  issuer: z.string().max(2000),
  authorization_endpoint: Endpoint,
  token_endpoint: Endpoint,
  /** Azure AD B2C has none. */
  userinfo_endpoint: Endpoint.optional(),
  jwks_uri: Endpoint.optional(),
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
  userinfoEndpoint: string | undefined;
  jwksUri: string | undefined;
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

function askProvider(purpose: string, address: string, init: RequestInit = {}): Promise<Response> {
  const { OAUTH_ISSUER } = env();
  // The operator set the issuer, so it may be on a private network.
  const fetchGuarded = guardedFetch(purpose, { ...LIMITS, allowOrigins: [OAUTH_ISSUER ?? "", address] });
  const headers = new Headers(init.headers);
  headers.set("Accept", "application/json");
  return fetchGuarded(address, { ...init, headers });
}

async function readJson(purpose: string, address: string, init: RequestInit): Promise<unknown> {
  const response = await askProvider(purpose, address, init);
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
      jwksUri: document.jwks_uri,
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

const fetchKeys = (uri: string) => askProvider("oauth:keys", uri);

const OVERAGE =
  "The sign-in provider left a person's groups out of the token, as there are too many. Have it send only the groups that are assigned to this application, or use app roles with OAUTH_GROUPS_CLAIM=roles.";

/**
 * Identifies the person by userinfo and the verified ID token.
 * @param nonce of this sign-in
 */
export async function readIdentity(
  provider: OAuthProvider,
  { accessToken, idToken }: { accessToken: string; idToken: string | undefined },
  nonce: string,
): Promise<Claims> {
  const { userinfoEndpoint } = provider;
  const headers = { Authorization: `Bearer ${accessToken}` };
  const claims = readClaims(provider.issuer, {
    idToken: idToken === undefined ? undefined : await verifyIdToken(idToken, nonce, provider, fetchKeys),
    userInfo: userinfoEndpoint ? await readJson("oauth:userinfo", userinfoEndpoint, { headers }) : undefined,
  });
  if (claims.groupsLeftOut) log.warn(OVERAGE);
  return claims;
}
