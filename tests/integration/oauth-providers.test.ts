import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CookieClient } from "../support/cookie-client";
import { type Account, type ProviderStyle, startProvider, type TestProvider } from "../support/oidc";
import { startServer, type TestServer } from "../support/server";

interface Person {
  account: Account;
  /** The signed-in user, or the request to join that an admin sees. */
  expected: { role: string; status?: "waiting"; email: string; firstName: string | null; lastName?: string };
}

interface Kind {
  style?: ProviderStyle;
  env: Record<string, string>;
  people: Person[];
}

const STAFF = "6f1c2f3e-staff";
const OPS = "9d0b7a51-ops";
const ada = { given_name: "Ada", family_name: "Lovelace", name: "Ada Lovelace" };
const adaAdmin = { role: "admin", email: "ada@example.org", firstName: "Ada", lastName: "Lovelace" };
const bare = { role: "viewer", status: "waiting" as const, email: "" };

/** Claims as each product sends them with the settings that docs/signing-in.md names. */
const KINDS: Record<string, Kind> = {
  Keycloak: {
    env: { OAUTH_ALLOWED_GROUPS: "/staff", OAUTH_ROLE_MAP: "/staff/ops=admin" },
    people: [
      {
        account: {
          sub: "ada",
          ...ada,
          preferred_username: "ada",
          email: "ada@example.org",
          email_verified: true,
          groups: ["/staff", "/staff/ops"],
        },
        expected: adaAdmin,
      },
      {
        account: { sub: "bob", preferred_username: "bob", groups: ["/guests"] },
        expected: { ...bare, firstName: "bob" },
      },
    ],
  },
  "Keycloak with realm roles and signed userinfo": {
    style: { signsUserInfo: true },
    env: {
      OAUTH_GROUPS_CLAIM: "realm_access.roles",
      OAUTH_ALLOWED_GROUPS: "console",
      OAUTH_ROLE_MAP: "console-admin=admin",
    },
    people: [
      {
        account: {
          sub: "ada",
          ...ada,
          email: "ada@example.org",
          realm_access: { roles: ["console", "console-admin"] },
        },
        expected: adaAdmin,
      },
    ],
  },
  authentik: {
    env: { OAUTH_ALLOWED_GROUPS: "staff", OAUTH_ROLE_MAP: "ops=admin" },
    people: [
      {
        // One name field: `given_name` has the whole name.
        account: {
          sub: "ada",
          name: "Ada Lovelace",
          given_name: "Ada Lovelace",
          preferred_username: "ada",
          email: "ada@example.org",
          email_verified: false,
          groups: ["staff", "ops"],
        },
        expected: { role: "admin", email: "ada@example.org", firstName: "Ada", lastName: "Lovelace" },
      },
    ],
  },
  "Entra ID": {
    style: { userInfo: ["name", "given_name", "family_name", "email"] },
    env: { OAUTH_ALLOWED_GROUPS: STAFF, OAUTH_ROLE_MAP: `${OPS}=admin` },
    people: [
      {
        account: { sub: "ada", ...ada, email: "ada@example.org", groups: [STAFF, OPS] },
        expected: adaAdmin,
      },
      {
        account: { sub: "many", name: "Many Groups", _claim_names: { groups: "src1" } },
        expected: { ...bare, firstName: "Many" },
      },
    ],
  },
  "AD FS": {
    style: { userInfo: [] },
    env: { OAUTH_ALLOWED_GROUPS: "staff", OAUTH_ROLE_MAP: "ops=admin" },
    people: [
      {
        account: {
          sub: "ada",
          ...ada,
          unique_name: "CORP\\ada",
          email: "ada@example.org",
          groups: ["staff", "ops"],
        },
        expected: adaAdmin,
      },
      {
        account: { sub: "bob", unique_name: "CORP\\bob", upn: "bob@corp.local" },
        expected: { ...bare, firstName: "CORP\\bob" },
      },
    ],
  },
  "Azure AD B2C": {
    style: { hasUserInfo: false },
    env: { OAUTH_GROUPS_CLAIM: "roles", OAUTH_ALLOWED_GROUPS: "console", OAUTH_ROLE_MAP: "admins=admin" },
    people: [
      {
        account: { sub: "ada", ...ada, emails: ["Ada@example.org"], roles: ["console", "admins"] },
        expected: adaAdmin,
      },
      {
        account: { sub: "bob", name: "Bob", emails: ["bob@example.org"] },
        expected: { ...bare, email: "bob@example.org", firstName: "Bob" },
      },
    ],
  },
  Google: {
    env: { OAUTH_ALLOWED_DOMAINS: "example.org" },
    people: [
      {
        account: { sub: "ada", ...ada, email: "ada@example.org", email_verified: true },
        expected: { ...adaAdmin, role: "viewer" },
      },
      {
        account: { sub: "bob", name: "Bob", email: "bob@elsewhere.test", email_verified: true },
        expected: { ...bare, email: "bob@elsewhere.test", firstName: "Bob" },
      },
    ],
  },
};

describe.each(Object.entries(KINDS))("a provider like %s", (_, { style, env, people }) => {
  let provider: TestProvider;
  let server: TestServer;

  beforeAll(async () => {
    provider = await startProvider(
      people.map(({ account }) => account),
      style,
    );
    server = await startServer({ env: { ...provider.env, ...env } });
    provider.register(server.baseUrl);
  });
  afterAll(async () => {
    await server?.close();
    await provider?.close();
  });

  async function enter(login: string) {
    const client = new CookieClient();
    const page = await client.passProvider(await client.open(`${server.baseUrl}/api/login`), login);
    const user = async () => {
      const { status, text } = await client.open(`${server.baseUrl}/api/auth/user`);
      return status === 200 ? (JSON.parse(text) as object) : status;
    };
    return { page, user };
  }

  it("admits people, or shows an admin who waits, by their claims", async () => {
    for (const { account, expected } of people) {
      const { page, user } = await enter(account.sub);
      const { status, ...identity } = expected;
      expect(page.url.pathname).toBe(status ? "/waiting" : "/");
      if (!status) expect(await user()).toMatchObject(identity);
      const members = (await (await server.ask("/api/members", { as: "owner" })).json()) as object[];
      expect(members).toContainEqual(expect.objectContaining(expected));
    }
    if (people.some(({ account }) => "_claim_names" in account))
      expect(server.output).toContain("left a person's groups out of the token");
  });

  it.runIf(env.OAUTH_ROLE_MAP)("follows changed groups at the next sign-in", async () => {
    const [claim = "groups", inner] = (env.OAUTH_GROUPS_CLAIM ?? "groups").split(".");
    const setGroups = (groups: string[]) => {
      const [account] = provider.accounts;
      if (account) account[claim] = inner ? { [inner]: groups } : groups;
    };
    const before = await enter("ada");
    setGroups([env.OAUTH_ALLOWED_GROUPS ?? ""]);
    const after = await enter("ada");
    expect([await before.user(), await after.user()]).toMatchObject([401, { role: "viewer" }]);
    setGroups([]);
    const refused = await enter("ada");
    expect(refused.page.url.pathname).toBe("/login");
    expect(refused.page.text).toContain("None of your groups has access to this console any more");
    expect([await after.user(), await refused.user()]).toEqual([401, 401]);
  });
});
