import { generateKeyPairSync } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

export type Account = { sub: string } & Record<string, unknown>;

const CLIENT_ID = "quarterdeck";
// Needs encoding in Basic credentials.
const CLIENT_SECRET = "s3cret+with/odd=characters %";

export interface TestProvider {
  issuer: string;
  env: Record<string, string>;
  accounts: Account[];
  /** Call once the console's address is known. */
  register(consoleUrl: string): void;
  /** Responds 503 until restored. */
  setDown(down: boolean): void;
  close(): Promise<void>;
}

/** How a provider differs from the protocol's recommendation. */
export interface ProviderStyle {
  /** Claims of userinfo beside the subject; the others stand in the ID token only. By default all in userinfo. */
  userInfo?: readonly string[];
  /** False for a provider without userinfo, as Azure AD B2C. */
  hasUserInfo?: boolean;
  /** True for userinfo as a signed JWT. */
  signsUserInfo?: boolean;
}

function configuration(accounts: Account[], consoleUrls: string[], style: ProviderStyle) {
  const { userInfo, hasUserInfo = true, signsUserInfo = false } = style;
  const groups = ["groups", "roles", "realm_access", "_claim_names"];
  const names = ["name", "given_name", "family_name", "preferred_username", "unique_name", "upn"];
  const isIdToken = userInfo !== undefined || !hasUserInfo;
  const inUserInfo = (account: Account) =>
    Object.fromEntries(
      Object.entries(account).filter(([name]) => name === "sub" || userInfo?.includes(name)),
    );

  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: consoleUrls.map((url) => `${url}/api/auth/callback`),
        post_logout_redirect_uris: consoleUrls.map((url) => `${url}/`),
        id_token_signed_response_alg: "ES256",
        ...(signsUserInfo ? { userinfo_signed_response_alg: "ES256" } : {}),
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "ES256", kid: "test" }] },
    cookies: { keys: ["only for tests"] },
    scopes: ["openid", "email", "profile", "groups"],
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: [...names, "picture", "emails", ...groups],
      groups,
    },
    conformIdTokenClaims: !isIdToken,
    pkce: { required: () => true },
    ttl: { Session: 3600, Interaction: 600, Grant: 3600, AccessToken: 600, IdToken: 600 },
    findAccount: (_context: unknown, id: string) => {
      const account = accounts.find(({ sub }) => sub === id);
      const claims = (use: string) =>
        account && isIdToken && use === "userinfo" ? inUserInfo(account) : account;
      return account && { accountId: id, claims };
    },
    features: {
      devInteractions: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      userinfo: { enabled: hasUserInfo },
      jwtUserinfo: { enabled: signsUserInfo },
    },
  };
}

/** oidc-provider on loopback with login and consent pages; requires PKCE. */
export async function startProvider(accounts: Account[], style: ProviderStyle = {}): Promise<TestProvider> {
  let answer: RequestListener | undefined;
  let isDown = false;
  const server = createServer((request, response) => {
    if (answer && !isDown) answer(request, response);
    else response.writeHead(503).end();
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    env: {
      OAUTH_ISSUER: issuer,
      OAUTH_CLIENT_ID: CLIENT_ID,
      OAUTH_CLIENT_SECRET: CLIENT_SECRET,
    },
    accounts,
    register(consoleUrl) {
      answer = new Provider(issuer, configuration(accounts, [consoleUrl], style)).callback();
    },
    setDown(down) {
      isDown = down;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
