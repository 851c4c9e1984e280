import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { type SignatureRule, verifySignature } from "~/core/webhook-signature.server";
import { webhook } from "./webhook.trigger.server";
import { curlOf } from "./webhook-curl";

const ADDRESS = "https://console.example.com/api/hooks/a'b";
const config = (own: object) => webhook.config.parse(own);

/** What a shell would call curl with. */
function called(
  line: string,
  secret: string,
): { args: string[]; headers: Record<string, string>; body: string } {
  const script = `curl() { for arg in "$@"; do printf '%s\\0' "$arg"; done; }\n${line}`;
  const args = execFileSync("sh", ["-c", script], { env: { ...process.env, KEY: secret }, encoding: "utf8" })
    .split("\0")
    .slice(0, -1);
  const after = (flag: string) => args.flatMap((arg, at) => (args[at - 1] === flag ? [arg] : []));
  const headers = after("-H").map((header) => {
    const [name = "", ...value] = header.split(": ");
    return [name.toLowerCase(), value.join(": ")];
  });
  return { args, headers: Object.fromEntries(headers), body: after("-d")[0] ?? "" };
}

it.each<[string, string, object, SignatureRule]>([
  ["the console's own scheme", "a secret's", {}, { scheme: "x-webhook" }],
  ["Standard Webhooks", "whsec_MDEyMzQ1Njc4OWFiY2RlZg==", { signature: "standard" }, { scheme: "standard" }],
  ["Standard Webhooks with a plain secret", "plain", { signature: "standard" }, { scheme: "standard" }],
  ["GitHub", "a secret", { signature: "github" }, { scheme: "github" }],
  [
    "another HMAC",
    "a secret",
    {
      signature: "hmac",
      signatureHeader: "X-Sign",
      signatureAlgorithm: "sha512",
      signatureEncoding: "base64",
    },
    { scheme: "hmac", header: "x-sign", algorithm: "sha512", encoding: "base64" },
  ],
])("a line that calls a webhook signs it by %s", (_, secret, own, rule) => {
  const { args, headers, body } = called(curlOf(ADDRESS, config({ ...own, signatureKey: "key_1" })), secret);
  expect(args.slice(0, 3)).toEqual(["-X", "POST", ADDRESS]);
  expect(JSON.parse(body)).toEqual({ name: "Ada" });
  const call = { secret, headers, rawBody: Buffer.from(body), now: Date.now() };
  expect(verifySignature(rule, call)).toMatchObject({ ok: true });
});

it("calls an unsigned webhook with its method, and GET without a body", () => {
  expect(curlOf("https://a.example/h", config({ method: "PUT" }))).toBe(
    `curl -X PUT 'https://a.example/h' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"name": "Ada"}'`,
  );
  expect(curlOf("https://a.example/h", config({ method: "GET" }))).toBe(
    "curl 'https://a.example/h?name=Ada'",
  );
});
