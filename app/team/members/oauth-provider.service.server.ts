import { createRemoteJWKSet, customFetch, decodeProtectedHeader, type JWTPayload, jwtVerify } from "jose";
import { z } from "zod";
import { now, steadyNow } from "~/core/clock.server";
import { guardedFetch } from "~/core/egress/index.server";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { clip, parseWellFormed } from "~/core/well-formed";

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

export function oauthConfigured(): boolean {
  return env().OAUTH_ISSUER !== undefined;
}

export function oauthProviderName(): string | undefined {
  const issuer = env().OAUTH_ISSUER;
  return issuer ? new URL(issuer).host : undefined;
}

/** The issuer, as a provider may spell it. Empty without a provider. */
export function issuerSpellings(): string[] {
  const issuer = env().OAUTH_ISSUER;
  return issuer ? [trimSlashes(issuer), `${trimSlashes(issuer)}/`] : [];
}

const trimSlashes = (issuer: string) => issuer.replace(/\/+$/, "");

function askProvider(purpose: string, address: string, init: RequestInit = {}): Promise<Response> {
  const { OAUTH_ISSUER } = env();
  // The operator set the issuer, so it may be on a private network.
  const fetchGuarded = guardedFetch(purpose, { ...LIMITS, allowOrigins: [OAUTH_ISSUER ?? "", address] });
  const headers = new Headers(init.headers);
  if (!headers.has("Accept")) headers.set("Accept", "application/json");
  return fetchGuarded(address, { ...init, headers });
}

async function readJson(purpose: string, address: string, init: RequestInit): Promise<unknown> {
  const response = await askProvider(purpose, address, init);
  if (!response.ok) throw new Error(`${purpose} returned HTTP ${response.status}`);
  return parseWellFormed(await response.text());
}

/** OpenID Connect Discovery 1.0. */
async function fetchProvider(issuer: string, clientId: string) {
  const { OAUTH_CLIENT_SECRET, OAUTH_SCOPES } = env();
  const address = `${trimSlashes(issuer)}/.well-known/openid-configuration`;
  const document = Discovery.parse(await readJson("oauth:discovery", address, {}));
  // Section 4.3: the issuer must match.
  if (trimSlashes(document.issuer) !== trimSlashes(issuer))
    throw new Error("The document names another issuer");
  return {
    issuer: document.issuer,
    clientId,
    clientSecret: OAUTH_CLIENT_SECRET ?? null,
    // For providers that don't accept Basic credentials.
    secretInBody: !document.token_endpoint_auth_methods_supported.includes("client_secret_basic"),
    scopes: OAUTH_SCOPES.split(/\s+/),
    authorizationEndpoint: document.authorization_endpoint,
    tokenEndpoint: document.token_endpoint,
    userinfoEndpoint: document.userinfo_endpoint,
    jwksUri: document.jwks_uri,
    endSessionEndpoint: document.end_session_endpoint,
  };
}
export type OAuthProvider = Awaited<ReturnType<typeof fetchProvider>>;

let cached: { provider: OAuthProvider; until: number; key: string } | undefined;

/** Cached for an hour. @throws AppError `provider_unavailable` */
export async function discoverProvider(): Promise<OAuthProvider> {
  const { OAUTH_ISSUER, OAUTH_CLIENT_ID } = env();
  if (!OAUTH_ISSUER || !OAUTH_CLIENT_ID) throw new AppError("unavailable", "No sign-in provider is set up.");
  const key = `${OAUTH_ISSUER} ${OAUTH_CLIENT_ID}`;
  if (cached && cached.key === key && steadyNow() < cached.until) return cached.provider;
  try {
    const provider = await fetchProvider(OAUTH_ISSUER, OAUTH_CLIENT_ID);
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

const fetchKeys: FetchKeys = (uri) => askProvider("oauth:keys", uri);

const OVERAGE =
  "The sign-in provider left a person's groups out of the token, as there are too many. Have it send only the groups that are assigned to this application, or use app roles with OAUTH_GROUPS_CLAIM=roles.";

/**
 * Identifies the person by userinfo and the verified ID token.
 * @param nonce of this sign-in
 * @throws AppError `provider_rejected` for an answer that can't be used
 */
export async function readIdentity(
  provider: OAuthProvider,
  { accessToken, idToken }: { accessToken: string; idToken: string | undefined },
  nonce: string,
): Promise<Claims> {
  const { userinfoEndpoint } = provider;
  const userInfo = userinfoEndpoint ? await fetchUserInfo(userinfoEndpoint, accessToken) : undefined;
  try {
    const claims = readClaims(provider.issuer, {
      idToken: idToken === undefined ? undefined : await verifyIdToken(idToken, nonce, provider, fetchKeys),
      userInfo: userInfo && (await readUserInfo(userInfo, provider, fetchKeys)),
    });
    if (claims.groupsLeftOut) log.warn(OVERAGE);
    return claims;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError("provider_rejected", `The sign-in provider's answer can't be used: ${reason}`, {
      cause,
    });
  }
}

interface UserInfo {
  type: string;
  text: string;
}

async function fetchUserInfo(address: string, accessToken: string): Promise<UserInfo> {
  const headers = { Authorization: `Bearer ${accessToken}`, Accept: "application/json, application/jwt" };
  const response = await askProvider("oauth:userinfo", address, { headers });
  if (!response.ok) throw new Error(`oauth:userinfo returned HTTP ${response.status}`);
  return { type: response.headers.get("content-type") ?? "", text: await response.text() };
}

/** Plain or signed (OpenID Connect Core 5.3.2). @throws Error with the reason */
export async function readUserInfo(
  { type, text }: UserInfo,
  provider: TokenIssuer,
  fetchKeys: FetchKeys,
): Promise<unknown> {
  if (!/^application\/jwt\b/i.test(type)) return parseWellFormed(text);
  const token = text.trim();
  if (token.split(".").length === 5)
    throw new Error("Userinfo is encrypted. Have the provider send it signed or plain.");
  return verifyToken(token, ["sub"], provider, fetchKeys);
}

/** Signed with the provider's keys, or with the client's secret (OpenID Connect Core 10.1). */
const ASYMMETRIC = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");
const SYMMETRIC = ["HS256", "HS384", "HS512"];
/** Tolerated difference of clocks, in seconds. */
const CLOCK_TOLERANCE = 60;

let keySet: { uri: string; keys: ReturnType<typeof createRemoteJWKSet> } | undefined;

/** Cached by the library, which fetches again for an unknown key, at most every 30 s. */
function keysAt(uri: string, fetchKeys: FetchKeys) {
  if (keySet?.uri !== uri)
    keySet = { uri, keys: createRemoteJWKSet(new URL(uri), { [customFetch]: () => fetchKeys(uri) }) };
  return keySet.keys;
}

type TokenIssuer = Pick<OAuthProvider, "issuer" | "clientId" | "clientSecret" | "jwksUri">;
type FetchKeys = (uri: string) => Promise<Response>;

/** Checks signature, issuer, audience and times. */
async function verifyToken(
  token: string,
  requiredClaims: string[],
  { issuer, clientId, clientSecret, jwksUri }: TokenIssuer,
  fetchKeys: FetchKeys,
): Promise<JWTPayload> {
  const options = {
    issuer,
    audience: clientId,
    clockTolerance: CLOCK_TOLERANCE,
    currentDate: new Date(now()),
    requiredClaims,
  };
  if (SYMMETRIC.includes(decodeProtectedHeader(token).alg ?? "")) {
    if (clientSecret === null) throw new Error("The token needs a client secret");
    const secret = new TextEncoder().encode(clientSecret);
    return (await jwtVerify(token, secret, { ...options, algorithms: SYMMETRIC })).payload;
  }
  if (jwksUri === undefined) throw new Error("The provider publishes no keys");
  const keys = keysAt(jwksUri, fetchKeys);
  return (await jwtVerify(token, keys, { ...options, algorithms: ASYMMETRIC })).payload;
}

/** Checks signature, issuer, audience, times and nonce (OpenID Connect Core 3.1.3.7). @throws Error with the reason */
export async function verifyIdToken(
  token: string,
  nonce: string,
  provider: TokenIssuer,
  fetchKeys: FetchKeys,
): Promise<JWTPayload> {
  const payload = await verifyToken(token, ["sub", "exp", "iat"], provider, fetchKeys);
  if (payload.nonce !== nonce) throw new Error("The ID token belongs to another sign-in");
  if (payload.azp !== undefined && payload.azp !== provider.clientId)
    throw new Error("The ID token is for another client");
  return payload;
}

/** Optional claims: invalid ones count as missing. */
const optionalText = (max: number) => z.string().trim().min(1).max(max).optional().catch(undefined);
/** Some providers write flags as text or numbers. */
const flag = z
  .union([z.boolean(), z.enum(["true", "1"]).transform(() => true), z.literal(1).transform(() => true)])
  .catch(false);

const ClaimSet = z.looseObject({
  sub: z.string().min(1).max(255),
  email: optionalText(254).transform((value) => value?.toLowerCase()),
  /** Azure AD B2C's, in place of `email`. */
  emails: z
    .tuple([z.string().trim().toLowerCase().min(1).max(254)], z.unknown())
    .optional()
    .catch(undefined),
  email_verified: flag,
  /** Entra's: the tenant has proved that it owns the address's domain. */
  xms_edov: flag,
  given_name: optionalText(80),
  family_name: optionalText(80),
  name: optionalText(160),
  preferred_username: optionalText(160),
  /** Login names of Entra and AD FS. */
  unique_name: optionalText(160),
  upn: optionalText(160),
  picture: z
    .url({ protocol: /^https$/ })
    .max(500)
    .optional()
    .catch(undefined),
});
type ClaimSet = z.infer<typeof ClaimSet>;

export interface Claims {
  issuer: string;
  subject: string;
  email: string | undefined;
  emailVerified: boolean;
  firstName: string | undefined;
  lastName: string | undefined;
  pictureUrl: string | undefined;
  groups: string[];
  /** True if the provider named the groups' claim but left its values out, as Entra does above 200 groups. */
  groupsLeftOut: boolean;
}

/** By name or dotted path (`realm_access.roles`). */
function groupsIn(claims: Record<string, unknown>, name: string): string[] {
  let value: unknown = Object.hasOwn(claims, name) ? claims[name] : claims;
  if (value === claims) {
    for (const part of name.split(".")) {
      value =
        typeof value === "object" && value !== null && Object.hasOwn(value, part)
          ? (value as Record<string, unknown>)[part]
          : undefined;
    }
  }
  const list = z.array(z.unknown()).safeParse(typeof value === "string" ? [value] : value);
  if (!list.success) return [];
  return list.data
    .slice(0, 1000)
    .filter((item) => typeof item === "string" && item.length <= 256) as string[];
}

const Overage = z.object({
  /** OpenID Connect Core 5.6.2: claims that stand elsewhere. */
  _claim_names: z.record(z.string(), z.unknown()).catch({}).default({}),
  hasgroups: flag.default(false),
});

function leavesOut(claims: ClaimSet, name: string): boolean {
  const { _claim_names, hasgroups } = Overage.parse(claims);
  return Object.hasOwn(_claim_names, name) || (name === "groups" && hasgroups);
}

const firstOf = <K extends keyof ClaimSet>(sets: readonly ClaimSet[], key: K): ClaimSet[K] | undefined =>
  sets.find((set) => set[key] !== undefined)?.[key];

function namesIn(sets: readonly ClaimSet[]): Pick<Claims, "firstName" | "lastName"> {
  const login =
    firstOf(sets, "unique_name") ?? firstOf(sets, "preferred_username") ?? firstOf(sets, "upn") ?? "";
  const name = firstOf(sets, "name");
  const whole = name?.split(/\s+/) ?? [];
  const first = clip(whole.slice(0, -1).join(" "), 80) || clip(whole[0] ?? "", 80);
  const last = firstOf(sets, "family_name") ?? (whole.length > 1 ? clip(whole.at(-1) ?? "", 80) : undefined);
  const named = firstOf(sets, "given_name");
  // authentik puts the whole name into `given_name`.
  const given = named === undefined || (named === name && last !== undefined) ? first || undefined : named;
  const hasName = given !== undefined || last !== undefined || firstOf(sets, "email") !== undefined;
  return { firstName: hasName ? given : clip(login, 80) || undefined, lastName: last };
}

/**
 * Merges a person's claims: userinfo first, then the verified ID token, in which Entra ID and AD FS put groups and names.
 * @throws Error for missing claims, or if both are about different subjects
 */
export function readClaims(
  issuer: string,
  { userInfo, idToken }: { userInfo?: unknown; idToken?: unknown },
): Claims {
  const sets = [userInfo, idToken].filter((set) => set !== undefined).map((set) => ClaimSet.parse(set));
  const [first] = sets;
  if (!first) throw new Error("The provider sent neither userinfo nor an ID token");
  // OpenID Connect Core 5.3.2: userinfo of another subject must not be used.
  if (sets.some(({ sub }) => sub !== first.sub))
    throw new Error("Userinfo is about another subject than the ID token");
  const email = firstOf(sets, "email") ?? firstOf(sets, "emails")?.[0];
  const isVerified = (set: ClaimSet) => set.email === email && (set.email_verified || set.xms_edov);
  const name = env().OAUTH_GROUPS_CLAIM;
  const groups = sets.map((set) => groupsIn(set, name)).find((list) => list.length > 0) ?? [];
  return {
    issuer,
    subject: first.sub,
    email: z.email().safeParse(email).success ? email : undefined,
    emailVerified: email !== undefined && sets.some(isVerified),
    ...namesIn(sets),
    pictureUrl: firstOf(sets, "picture"),
    groups,
    groupsLeftOut: groups.length === 0 && sets.some((set) => leavesOut(set, name)),
  };
}
