import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setEnv } from "~/core/env.server";
import { readClaims } from "./oauth-provider.service.server";

const configure = (claim?: string) =>
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", ...(claim ? { OAUTH_GROUPS_CLAIM: claim } : {}) });

beforeEach(() => configure());
afterEach(() => setEnv(undefined));

const ISSUER = "https://id.example.org";
const fromUserInfo = (userInfo: unknown) => readClaims(ISSUER, { userInfo });

describe("claims", () => {
  it("require only a subject", () => {
    expect(fromUserInfo({ sub: "sub-1" })).toEqual({
      issuer: ISSUER,
      subject: "sub-1",
      email: undefined,
      emailVerified: false,
      firstName: undefined,
      lastName: undefined,
      pictureUrl: undefined,
      groups: [],
      groupsLeftOut: false,
    });
  });

  it.each([undefined, null, "text", {}, { sub: "" }, { sub: 7 }, { sub: "x".repeat(256) }])(
    "are refused: %j",
    (info) => {
      expect(() => fromUserInfo(info)).toThrow();
    },
  );

  it("count as missing if too long or of another type", () => {
    const claims = fromUserInfo({
      sub: "sub-1",
      email: `${"x".repeat(300)}@example.org`,
      email_verified: "yes",
      given_name: { evil: true },
      family_name: "x".repeat(81),
      picture: "javascript:alert(1)",
      groups: ["ok", 7, "x".repeat(300)],
    });
    expect(claims).toMatchObject({ email: undefined, emailVerified: false, groups: ["ok"] });
    expect([claims.firstName, claims.lastName, claims.pictureUrl]).toEqual([undefined, undefined, undefined]);
  });

  it("accept a full name and a verified address, also with a textual flag", () => {
    const info = { sub: "s", name: "Ada King Lovelace", email: "Ada@Example.org", email_verified: "true" };
    expect(fromUserInfo(info)).toMatchObject({
      firstName: "Ada King",
      lastName: "Lovelace",
      email: "ada@example.org",
      emailVerified: true,
    });
    expect(fromUserInfo({ ...info, email_verified: "false" }).emailVerified).toBe(false);
    expect(fromUserInfo({ ...info, email: "not an address" }).email).toBeUndefined();
  });

  it.each([
    ["groups", { groups: ["a", "b"] }, ["a", "b"]],
    ["groups", { groups: "a" }, ["a"]],
    ["https://example.org/groups", { "https://example.org/groups": ["a"] }, ["a"]],
    ["realm_access.roles", { realm_access: { roles: ["a"] } }, ["a"]],
    ["constructor.name", {}, []],
  ])("find groups in %s", (claim, extra, groups) => {
    configure(claim);
    expect(fromUserInfo({ sub: "s", ...extra }).groups).toEqual(groups);
  });
});

describe("claims of the ID token", () => {
  const idToken = {
    sub: "sub-1",
    name: "Ada Lovelace",
    email: "ada@example.org",
    groups: ["staff"],
    roles: ["console.admin"],
  };

  it("fill in what userinfo lacks, as with Entra and AD FS", () => {
    const expected = { firstName: "Ada", lastName: "Lovelace", email: "ada@example.org", groups: ["staff"] };
    expect(readClaims(ISSUER, { userInfo: { sub: "sub-1" }, idToken })).toMatchObject(expected);
    expect(readClaims(ISSUER, { idToken })).toMatchObject(expected);
    configure("roles");
    expect(readClaims(ISSUER, { userInfo: { sub: "sub-1" }, idToken }).groups).toEqual(["console.admin"]);
  });

  it("come second where both have them", () => {
    const userInfo = { sub: "sub-1", name: "Grace Hopper", groups: ["other"] };
    expect(readClaims(ISSUER, { userInfo, idToken })).toMatchObject({
      firstName: "Grace",
      groups: ["other"],
    });
    expect(readClaims(ISSUER, { userInfo: { ...userInfo, groups: [] }, idToken }).groups).toEqual(["staff"]);
  });

  it("verify only the address that they hold themselves", () => {
    const verified = { ...idToken, email_verified: true };
    const isVerified = (userInfo: object, token: object = verified) =>
      readClaims(ISSUER, { userInfo: { sub: "sub-1", ...userInfo }, idToken: token }).emailVerified;
    expect(isVerified({})).toBe(true);
    expect(isVerified({ email: "ada@example.org" })).toBe(true);
    expect(isVerified({ email: "mallory@example.com" })).toBe(false);
    expect(isVerified({ email: "mallory@example.com", email_verified: false })).toBe(false);
    expect(isVerified({}, { ...idToken, xms_edov: "1" })).toBe(true);
    expect(isVerified({}, { ...idToken, xms_edov: 0 })).toBe(false);
  });

  it("take the first of Azure AD B2C's addresses, unverified", () => {
    const idToken = { sub: "sub-1", emails: ["Ada@Example.org", "other@example.org"], name: "Ada" };
    expect(readClaims(ISSUER, { idToken })).toMatchObject({ email: "ada@example.org", emailVerified: false });
    expect(readClaims(ISSUER, { idToken: { ...idToken, emails: [] } }).email).toBeUndefined();
  });

  it("name a person by the login name if there is nothing else", () => {
    const bare = { sub: "sub-1", unique_name: "CORP\\ada", upn: "ada@corp.local" };
    expect(readClaims(ISSUER, { userInfo: { sub: "sub-1" }, idToken: bare })).toMatchObject({
      firstName: "CORP\\ada",
      email: undefined,
    });
    expect(readClaims(ISSUER, { idToken: { ...idToken, unique_name: "CORP\\ada" } }).firstName).toBe("Ada");
  });

  it.each([
    [
      { _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint: "https://graph.example" } } },
      true,
    ],
    [{ hasgroups: "true" }, true],
    [{ _claim_names: { address: "src1" } }, false],
    [{ _claim_names: { groups: "src1" }, groups: ["staff"] }, false],
    [{ _claim_names: "odd" }, false],
  ])("tell whether groups were left out: %j", (extra, leftOut) => {
    expect(readClaims(ISSUER, { idToken: { sub: "sub-1", ...extra } }).groupsLeftOut).toBe(leftOut);
  });

  it("are refused if they are about another subject, or there are none at all", () => {
    expect(() => readClaims(ISSUER, { userInfo: { sub: "sub-2" }, idToken })).toThrow(/another subject/);
    expect(() => readClaims(ISSUER, {})).toThrow(/neither/);
  });
});
