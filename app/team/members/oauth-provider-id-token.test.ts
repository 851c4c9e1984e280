import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { readUserInfo, verifyIdToken } from "./oauth-provider.service.server";

const SECRET = "a-client-secret-of-more-than-32-bytes-in-all";
const provider = {
  issuer: "https://id.example.org",
  clientId: "console",
  clientSecret: SECRET,
  jwksUri: "https://id.example.org/jwks",
};

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;
let keys: Keys;
let others: Keys;
let fetches = 0;

beforeAll(async () => {
  [keys, others] = await Promise.all([generateKeyPair("ES256"), generateKeyPair("ES256")]);
});

async function fetchKeys(): Promise<Response> {
  fetches += 1;
  return Response.json({
    keys: [{ ...(await exportJWK(keys.publicKey)), kid: "one", use: "sig", alg: "ES256" }],
  });
}

const seconds = () => Math.floor(Date.now() / 1000);

function tokenOf(
  change: JWTPayload = {},
  header: { alg: string; kid?: string } = { alg: "ES256", kid: "one" },
) {
  const at = seconds();
  const payload = { iss: provider.issuer, aud: "console", sub: "sub-1", nonce: "n", iat: at, exp: at + 60 };
  return new SignJWT({ ...payload, ...change }).setProtectedHeader(header);
}

const verify = (token: string, change: Partial<typeof provider> | { jwksUri: undefined } = {}, nonce = "n") =>
  verifyIdToken(token, nonce, { ...provider, ...change }, fetchKeys);

describe("an ID token", () => {
  it("is accepted with the provider's signature, which is fetched once", async () => {
    const token = await tokenOf({ groups: ["staff"] }).sign(keys.privateKey);
    expect(await verify(token)).toMatchObject({ sub: "sub-1", groups: ["staff"] });
    const before = fetches;
    expect(
      await verify(await tokenOf({ aud: ["other", "console"], azp: "console" }).sign(keys.privateKey)),
    ).toMatchObject({ sub: "sub-1" });
    expect(fetches).toBe(before);
  });

  it.each<[string, JWTPayload, RegExp]>([
    ["another issuer", { iss: "https://evil.test" }, /"iss"/],
    ["another audience", { aud: "other" }, /"aud"/],
    ["another authorized party", { aud: ["console", "other"], azp: "other" }, /another client/],
    ["another nonce", { nonce: "m" }, /another sign-in/],
    ["no nonce", { nonce: undefined }, /another sign-in/],
    ["a passed expiry", { exp: 1 }, /"exp"/],
    ["no expiry", { exp: undefined }, /"exp"/],
    ["a start in the future", { nbf: 9e9 }, /"nbf"/],
    ["no subject", { sub: undefined }, /"sub"/],
  ])("is refused with %s", async (_, change, message) => {
    await expect(
      tokenOf(change)
        .sign(keys.privateKey)
        .then((token) => verify(token)),
    ).rejects.toThrow(message);
  });

  it("is refused with another key's signature, a changed payload or none", async () => {
    await expect(verify(await tokenOf().sign(others.privateKey))).rejects.toThrow(/signature/);
    const [header, , mac] = (await tokenOf().sign(keys.privateKey)).split(".");
    const forged = Buffer.from(JSON.stringify({ sub: "owner" })).toString("base64url");
    await expect(verify(`${header}.${forged}.${mac}`)).rejects.toThrow(/signature/);
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    await expect(verify(`${none}.${forged}.`)).rejects.toThrow();
    await expect(verify("garbage")).rejects.toThrow();
  });

  it("is accepted with the client's secret, but never with a public key as the secret", async () => {
    const hmac = (secret: string) => tokenOf({}, { alg: "HS256" }).sign(new TextEncoder().encode(secret));
    expect(await verify(await hmac(SECRET))).toMatchObject({ sub: "sub-1" });
    await expect(verify(await hmac(JSON.stringify(await exportJWK(keys.publicKey))))).rejects.toThrow(
      /signature/,
    );
    await expect(
      verifyIdToken(await hmac(SECRET), "n", { ...provider, clientSecret: null }, fetchKeys),
    ).rejects.toThrow(/client secret/);
  });

  it("is refused if the provider publishes no keys", async () => {
    await expect(verify(await tokenOf().sign(keys.privateKey), { jwksUri: undefined })).rejects.toThrow(
      /no keys/,
    );
  });
});

describe("userinfo", () => {
  const read = (text: string, type = "application/jwt; charset=utf-8") =>
    readUserInfo({ type, text }, provider, fetchKeys);
  const signed = (change: JWTPayload = {}) =>
    tokenOf({ nonce: undefined, exp: undefined, iat: undefined, ...change }).sign(keys.privateKey);

  it("is read plain and signed", async () => {
    expect(await read('{"sub":"sub-1"}', "application/json")).toEqual({ sub: "sub-1" });
    expect(await read(`${await signed({ groups: ["staff"] })}\n`)).toMatchObject({
      sub: "sub-1",
      groups: ["staff"],
    });
  });

  it.each<[string, () => Promise<string>, RegExp]>([
    ["another issuer", () => signed({ iss: "https://evil.test" }), /"iss"/],
    ["another audience", () => signed({ aud: "other" }), /"aud"/],
    ["a passed expiry", () => signed({ exp: 1 }), /"exp"/],
    ["another key", () => tokenOf().sign(others.privateKey), /signature/],
    ["encryption", async () => "a.b.c.d.e", /encrypted/],
    ["plain JSON as a token", async () => '{"sub":"sub-1"}', /Invalid/],
  ])("is refused with %s", async (_, token, message) => {
    await expect(token().then(read)).rejects.toThrow(message);
  });
});
