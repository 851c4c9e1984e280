import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Webhook } from "../../tests/support/standard-webhooks";
import { signCall, verifySignature } from "./webhook-signature.server";

const now = Date.parse("2026-05-01T10:00:00Z");
const rawBody = Buffer.from('{"a":1}');
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const headers = signCall({ secret, id: "msg_1", rawBody, now });
const call = { secret, headers, rawBody, now };

describe("a call of the console", () => {
  it("is signed as the specification's example", () => {
    const example = signCall({
      secret,
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      rawBody: Buffer.from('{"test": 2432232314}'),
      now: 1_614_265_330_000,
    });
    expect(example["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  it("is signed by the timestamp, a dot and the body in its own scheme", () => {
    const digest = createHmac("sha256", secret)
      .update(`${now / 1000}.{"a":1}`)
      .digest("hex");
    expect(headers).toMatchObject({
      "x-webhook-timestamp": String(now / 1000),
      "x-webhook-signature": `sha256=${digest}`,
    });
  });

  it.each([
    [secret, undefined],
    ["a secret of another form", { format: "raw" as const }],
  ])("is verified by the library of Standard Webhooks (%s)", (secret, options) => {
    const body = '{"text":"Größe"}';
    const signed = signCall({ secret, id: "msg_2", rawBody: Buffer.from(body), now: Date.now() });
    expect(new Webhook(secret, options).verify(body, signed)).toEqual({ text: "Größe" });
    expect(() => new Webhook(secret, options).verify('{"text":"Grosse"}', signed)).toThrow();
  });

  it("isn't signed by a secret that was cut off", () => {
    for (const cut of ["whsec_", "whsec_a b"])
      expect(() => signCall({ ...call, id: "x", secret: cut })).toThrow("base64 after whsec_");
  });
});

const refusal = (reason: string) => ({ ok: false, reason: expect.stringContaining(reason) });

describe("a signature of the console's scheme", () => {
  const rule = { scheme: "x-webhook" } as const;
  const signature = headers["x-webhook-signature"];
  const change = (changed: object) => ({ headers: { ...headers, ...changed } });

  it("is the same for a replay, and may stand among others", () => {
    expect(verifySignature(rule, call)).toEqual({ ok: true, replayId: signature.slice(7) });
    const two = change({ "x-webhook-signature": `sha256=${"0".repeat(64)}, ${signature}` });
    expect(verifySignature(rule, { ...call, ...two })).toMatchObject({ ok: true });
  });

  it.each([
    ["another secret", { secret: "other" }, "doesn't match"],
    ["another body", { rawBody: Buffer.from('{"a":2}') }, "doesn't match"],
    [
      "a timestamp that wasn't signed",
      change({ "x-webhook-timestamp": String(now / 1000 + 1) }),
      "doesn't match",
    ],
    ["an old call", { now: now + 301_000 }, "seconds off"],
    ["a call of the future", { now: now - 301_000 }, "seconds off"],
    ["no signature", change({ "x-webhook-signature": undefined }), "missing"],
    ["no timestamp", change({ "x-webhook-timestamp": undefined }), "missing"],
    ["a timestamp that is none", change({ "x-webhook-timestamp": "now" }), "Unix time"],
    ["a signature of another form", change({ "x-webhook-signature": "md5=abc" }), "is not sha256=<hex>"],
  ])("refuses %s", (_, changed, reason) => {
    expect(verifySignature(rule, { ...call, ...changed })).toEqual(refusal(reason));
  });
});

describe("a signature of Standard Webhooks", () => {
  const rule = { scheme: "standard" } as const;
  const sign = (id: string, at: number, body = '{"a":1}') => ({
    "webhook-id": id,
    "webhook-timestamp": String(at / 1000),
    "webhook-signature": new Webhook(secret).sign(id, new Date(at), body),
  });

  it("of the library is accepted, and a repeated attempt is known by its id", () => {
    const first = verifySignature(rule, { ...call, headers: sign("msg_1", now) });
    expect(first).toEqual({ ok: true, replayId: "id:msg_1" });
    const later = now + 3_600_000;
    const second = verifySignature(rule, { ...call, headers: sign("msg_1", later), now: later });
    expect(second).toEqual(first);
  });

  const asSvix = (headers: object) =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.replace("webhook-", "svix-"), value]),
    );

  it("is accepted by the names of Svix, and its id is the same by either name", () => {
    const headers = asSvix(sign("msg_1", now));
    expect(verifySignature(rule, { ...call, headers })).toEqual({ ok: true, replayId: "id:msg_1" });
    expect(verifySignature(rule, { ...call, headers, now: now + 301_000 })).toEqual(refusal("seconds off"));
    const both = { ...headers, ...sign("msg_2", now) };
    expect(verifySignature(rule, { ...call, headers: both })).toEqual({ ok: true, replayId: "id:msg_2" });
  });

  it.each([
    ["an id of Svix that wasn't signed", { "svix-id": "msg_2" }, "doesn't match"],
    ["no id of Svix", { "svix-id": undefined, "webhook-id": "msg_1" }, "svix-id is missing"],
    [
      "a signature of the standard with an id of Svix",
      { "webhook-signature": "v1,x" },
      "webhook-id is missing",
    ],
  ])("refuses %s", (_, changed, reason) => {
    const headers = { ...asSvix(sign("msg_1", now)), ...changed };
    expect(verifySignature(rule, { ...call, headers })).toEqual(refusal(reason));
  });

  it("may stand among others, also of public keys", () => {
    const signed = sign("msg_1", now);
    const several = `v1a,${"A".repeat(86)}== v1,${"A".repeat(43)}= ${signed["webhook-signature"]}`;
    const headers = { ...signed, "webhook-signature": several };
    expect(verifySignature(rule, { ...call, headers })).toMatchObject({ ok: true });
  });

  it.each([
    ["an id that wasn't signed", { "webhook-id": "msg_2" }, {}, "doesn't match"],
    ["a timestamp that wasn't signed", { "webhook-timestamp": String(now / 1000 + 1) }, {}, "doesn't match"],
    ["no id", { "webhook-id": undefined }, {}, "webhook-id is missing"],
    ["an old call", {}, { now: now + 301_000 }, "seconds off"],
    ["a hex signature", { "webhook-signature": `v1,${"a".repeat(64)}` }, {}, "is not v1,<base64>"],
    ["another body", {}, { rawBody: Buffer.from('{"a":2}') }, "doesn't match"],
  ])("refuses %s", (_, changed, others, reason) => {
    const headers = { ...sign("msg_1", now), ...changed };
    expect(verifySignature(rule, { ...call, headers, ...others })).toEqual(refusal(reason));
  });
});

describe("a signature of the body alone", () => {
  it("is verified as GitHub documents it", () => {
    const github = {
      secret: "It's a Secret to Everybody",
      rawBody: Buffer.from("Hello, World!"),
      headers: {
        "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
      },
      now,
    };
    const rule = { scheme: "github" } as const;
    expect(verifySignature(rule, github)).toMatchObject({ ok: true });
    expect(verifySignature(rule, { ...github, rawBody })).toEqual(refusal("doesn't match"));
    expect(verifySignature(rule, { ...github, headers: {} })).toEqual(
      refusal("x-hub-signature-256 is missing"),
    );
  });

  it.each(["constructor", "__proto__", "toString"])("isn't looked for among members: %s", (header) => {
    const rule = { scheme: "hmac", header, algorithm: "sha256", encoding: "hex" } as const;
    const signed = { ...call, secret: "secret", headers: {} };
    expect(verifySignature(rule, signed)).toEqual(refusal(`${header.toLowerCase()} is missing`));
  });

  it.each([
    ["sha1", "hex", ""],
    ["sha256", "base64", ""],
    ["sha384", "base64", "sha384="],
    ["sha512", "hex", "sha512="],
  ] as const)("is verified by %s in %s after '%s'", (algorithm, encoding, prefix) => {
    const rule = { scheme: "hmac", header: "X-Signature", algorithm, encoding } as const;
    const digest = createHmac(algorithm, "secret").update(rawBody).digest(encoding);
    const signed = { ...call, secret: "secret", headers: { "x-signature": `${prefix}${digest}` } };
    expect(verifySignature(rule, signed)).toMatchObject({ ok: true });
    expect(verifySignature(rule, { ...signed, secret: "other" })).toEqual(refusal("doesn't match"));
    const cut = { ...signed, headers: { "x-signature": digest.slice(4) } };
    expect(verifySignature(rule, cut)).toEqual(refusal(`is not ${algorithm} in <${encoding}>`));
  });
});
