import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setEnv } from "~/core/env.server";
import { readClaims } from "./oauth-claims.server";

const provider = { issuer: "https://id.example.org", clientId: "console" };
const configure = (claim?: string) =>
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", ...(claim ? { OAUTH_GROUPS_CLAIM: claim } : {}) });

beforeEach(() => configure());
afterEach(() => setEnv(undefined));

const token = (change: Record<string, unknown> = {}) => {
  const payload = {
    iss: provider.issuer,
    sub: "sub-1",
    aud: "console",
    exp: Date.now() / 1000 + 60,
    ...change,
  };
  return `e30.${Buffer.from(JSON.stringify(payload)).toString("base64url")}.mac`;
};

describe("claims", () => {
  it("require only a subject", () => {
    expect(readClaims({ sub: "sub-1" }, undefined, provider)).toEqual({
      issuer: provider.issuer,
      subject: "sub-1",
      email: undefined,
      emailVerified: false,
      firstName: undefined,
      lastName: undefined,
      pictureUrl: undefined,
      groups: [],
    });
  });

  it.each([undefined, null, "text", {}, { sub: "" }, { sub: 7 }, { sub: "x".repeat(256) }])(
    "are refused: %j",
    (info) => {
      expect(() => readClaims(info, undefined, provider)).toThrow();
    },
  );

  it("count as missing if too long or of another type", () => {
    const claims = readClaims(
      {
        sub: "sub-1",
        email: `${"x".repeat(300)}@example.org`,
        email_verified: "yes",
        given_name: { evil: true },
        family_name: "x".repeat(81),
        picture: "javascript:alert(1)",
        groups: ["ok", 7, "x".repeat(300)],
      },
      undefined,
      provider,
    );
    expect(claims).toMatchObject({ email: undefined, emailVerified: false, groups: ["ok"] });
    expect([claims.firstName, claims.lastName, claims.pictureUrl]).toEqual([undefined, undefined, undefined]);
  });

  it("accept a full name and a verified address, also with a textual flag", () => {
    const info = { sub: "s", name: "Ada King Lovelace", email: "Ada@Example.org", email_verified: "true" };
    expect(readClaims(info, undefined, provider)).toMatchObject({
      firstName: "Ada King",
      lastName: "Lovelace",
      email: "ada@example.org",
      emailVerified: true,
    });
    expect(readClaims({ ...info, email_verified: "false" }, undefined, provider).emailVerified).toBe(false);
    expect(readClaims({ ...info, email: "not an address" }, undefined, provider).email).toBeUndefined();
  });

  it.each([
    ["groups", { groups: ["a", "b"] }, ["a", "b"]],
    ["groups", { groups: "a" }, ["a"]],
    ["https://example.org/groups", { "https://example.org/groups": ["a"] }, ["a"]],
    ["realm_access.roles", { realm_access: { roles: ["a"] } }, ["a"]],
    ["constructor.name", {}, []],
  ])("find groups in %s", (claim, extra, groups) => {
    configure(claim);
    expect(readClaims({ sub: "s", ...extra }, undefined, provider).groups).toEqual(groups);
  });
});

describe("an id token beside userinfo", () => {
  it("is accepted if both agree", () => {
    expect(readClaims({ sub: "sub-1" }, token(), provider).subject).toBe("sub-1");
    expect(readClaims({ sub: "sub-1" }, token({ aud: ["other", "console"] }), provider).subject).toBe(
      "sub-1",
    );
  });

  it.each([
    [{ sub: "sub-2" }, /another subject/],
    [{ iss: "https://evil.test" }, /another issuer/],
    [{ aud: "other" }, /another client/],
    [{ exp: 1 }, /expired/],
    [{ exp: "never" }, /exp/],
  ])("is rejected with %j", (change, message) => {
    expect(() => readClaims({ sub: "sub-1" }, token(change), provider)).toThrow(message);
  });

  it("is rejected if unreadable", () => {
    expect(() => readClaims({ sub: "sub-1" }, "garbage", provider)).toThrow();
  });
});
