import { z } from "zod";
import { now } from "~/core/clock.server";
import { guardedFetch } from "~/core/egress/index.server";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";

const LIMITS = { timeoutMs: 10_000, maxBytes: 256 * 1024 } as const;
/** How long a discovery document is good for, in milliseconds. */
const KEEP = 60 * 60_000;

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
  /** Whether the secret goes into the body, for providers that don't take it as Basic credentials. */
  secretInBody: boolean;
  scopes: string[];
  authorizationEndpoint: string;
  tokenEndpoint: string;
  userinfoEndpoint: string;
  endSessionEndpoint: string | undefined;
}

/** Whether people sign in at the hosting platform's provider. */
export function oauthConfigured(): boolean {
  return env().OAUTH_ISSUER !== undefined;
}

/** What a person reads on the sign-in button: the provider's host. */
export function oauthProviderName(): string | undefined {
  const issuer = env().OAUTH_ISSUER;
  return issuer ? new URL(issuer).host : undefined;
}

const plain = (issuer: string) => issuer.replace(/\/+$/, "");

async function readJson(purpose: string, address: string, init: RequestInit): Promise<unknown> {
  const { OAUTH_ISSUER } = env();
  // The operator named the issuer, so it and what it names may stand in a private network.
  const fetchGuarded = guardedFetch(purpose, { ...LIMITS, allowOrigins: [OAUTH_ISSUER ?? "", address] });
  const headers = new Headers(init.headers);
  headers.set("Accept", "application/json");
  const response = await fetchGuarded(address, { ...init, headers });
  if (!response.ok) throw new Error(`${purpose} was answered with ${response.status}`);
  return response.json();
}

let known: { provider: OAuthProvider; until: number; key: string } | undefined;

/**
 * The provider's endpoints by OpenID Connect Discovery 1.0, read when first needed and kept for an hour.
 *
 * @throws AppError `provider_unavailable`
 */
export async function discoverProvider(): Promise<OAuthProvider> {
  const { OAUTH_ISSUER, OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET, OAUTH_SCOPES } = env();
  if (!OAUTH_ISSUER || !OAUTH_CLIENT_ID) throw new AppError("unavailable", "No sign-in provider is set up.");
  const key = `${OAUTH_ISSUER} ${OAUTH_CLIENT_ID}`;
  if (known && known.key === key && now() < known.until) return known.provider;
  try {
    const address = `${plain(OAUTH_ISSUER)}/.well-known/openid-configuration`;
    const document = Discovery.parse(await readJson("oauth:discovery", address, {}));
    // Section 4.3: the document must be the issuer's own.
    if (plain(document.issuer) !== plain(OAUTH_ISSUER)) throw new Error("The document names another issuer");
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
    known = { provider, key, until: now() + KEEP };
    return provider;
  } catch (cause) {
    throw new AppError("provider_unavailable", "The sign-in provider can't be reached.", { cause });
  }
}

const TokenAnswer = z.looseObject({ access_token: z.string().min(1).max(20_000) });

/** RFC 6749 2.3.1: id and secret are form-encoded inside the Basic credentials. */
function basic(id: string, secret: string): string {
  const encode = (value: string) => new URLSearchParams([["", value]]).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString("base64")}`;
}

/**
 * Exchanges an authorization code for tokens (RFC 6749 4.1.3 with RFC 7636).
 *
 * @throws Error when the provider refuses the code or answers otherwise than it should
 */
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
  const answer = await readJson("oauth:token", provider.tokenEndpoint, {
    method: "POST",
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      ...(inBody ? {} : { Authorization: basic(clientId, clientSecret ?? "") }),
    },
    body: body.toString(),
    // A redirected exchange would hand the code and the secret to somebody else.
    redirect: "error",
  });
  return TokenAnswer.parse(answer);
}

/** A text of the provider's that is nice to have: one that is too long or of another kind counts as missing. */
const optionalText = (most: number) => z.string().trim().min(1).max(most).optional().catch(undefined);

const UserInfo = z.looseObject({
  sub: z.string().min(1).max(255),
  email: optionalText(254).transform((value) => value?.toLowerCase()),
  // Some providers send the text "true".
  email_verified: z.union([z.boolean(), z.literal("true").transform(() => true)]).catch(false),
  given_name: optionalText(80),
  family_name: optionalText(80),
  name: optionalText(160),
  picture: z
    .url({ protocol: /^https$/ })
    .max(500)
    .optional()
    .catch(undefined),
});

const IdToken = z.object({
  iss: z.string(),
  sub: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
});

/** What the provider says of a person who has just signed in there. */
export interface Claims {
  issuer: string;
  subject: string;
  email: string | undefined;
  emailVerified: boolean;
  firstName: string | undefined;
  lastName: string | undefined;
  pictureUrl: string | undefined;
  groups: string[];
}

/** The groups' claim by its name, or by a dotted path into the claims (`realm_access.roles`). */
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

/**
 * Parses userinfo and, where the provider gave an id token, holds the two against each other. The token came straight
 * from the token endpoint, whose TLS stands in for its signature (OpenID Connect Core 3.1.3.7, point 6).
 *
 * @throws Error when a claim that matters is missing, too long or doesn't fit
 */
export function readClaims(
  userInfo: unknown,
  idToken: string | undefined,
  provider: Pick<OAuthProvider, "issuer" | "clientId">,
): Claims {
  const info = UserInfo.parse(userInfo);
  if (idToken !== undefined) {
    const payload = IdToken.parse(
      JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString("utf8")),
    );
    if (payload.iss !== provider.issuer) throw new Error("The id token is another issuer's");
    if (![payload.aud].flat().includes(provider.clientId))
      throw new Error("The id token is for another client");
    if (payload.exp * 1000 < now() - 60_000) throw new Error("The id token has expired");
    // Core 5.3.2: userinfo of another subject must not be used.
    if (payload.sub !== info.sub) throw new Error("Userinfo is about another subject than the id token");
  }
  const whole = info.name?.split(/\s+/) ?? [];
  return {
    issuer: provider.issuer,
    subject: info.sub,
    email: z.email().safeParse(info.email).success ? info.email : undefined,
    emailVerified: info.email_verified,
    firstName: info.given_name ?? (whole.slice(0, -1).join(" ").slice(0, 80) || whole[0]?.slice(0, 80)),
    lastName: info.family_name ?? (whole.length > 1 ? whole.at(-1)?.slice(0, 80) : undefined),
    pictureUrl: info.picture,
    groups: groupsIn(info, env().OAUTH_GROUPS_CLAIM),
  };
}

/** Asks the provider who holds an access token. */
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
