import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setEnv } from "~/core/env.server";
import { assertSameOrigin } from "./edge-policy.server";

const ask =
  (headers: Record<string, string>, method = "POST", path = "/personas") =>
  () =>
    assertSameOrigin({ method, path, headers: { host: "console.example", ...headers } });

describe("the same-origin check", () => {
  beforeEach(() => setEnv({ PUBLIC_URL: "https://public.example" }));
  afterEach(() => setEnv(undefined));

  it.each([
    ["its own origin", { cookie: "a=b", origin: "http://console.example" }],
    ["the public address behind a proxy", { cookie: "a=b", origin: "https://public.example" }],
    ["Sec-Fetch-Site where there is no Origin", { cookie: "a=b", "sec-fetch-site": "same-origin" }],
    ["a bearer token", { authorization: "Bearer x" }],
  ])("lets a change through with %s", (_, headers) => {
    expect(ask(headers)).not.toThrow();
  });

  it.each([
    ["another origin", { cookie: "a=b", origin: "https://evil.example" }],
    ["an opaque origin", { cookie: "a=b", origin: "null" }],
    [
      "another origin that claims to be the same site",
      { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
    ],
    ["another port", { cookie: "a=b", origin: "http://console.example:8080" }],
    ["a sibling's page", { cookie: "a=b", "sec-fetch-site": "same-site" }],
    ["no proof at all", { cookie: "a=b" }],
    ["an empty token", { cookie: "a=b", origin: "https://evil.example", authorization: "" }],
    ["a token's name alone", { cookie: "a=b", origin: "https://evil.example", authorization: "Bearer " }],
    ["another kind of token", { cookie: "a=b", origin: "https://evil.example", authorization: "Basic eA==" }],
    ["no proof and no cookie, at a form", {}],
  ])("refuses a change with %s", (_, headers) => {
    expect(ask(headers)).toThrow("another site");
  });

  it("leaves reading alone", () => {
    expect(ask({ origin: "https://evil.example", cookie: "a=b" }, "GET")).not.toThrow();
  });

  it.each(["/api/personas", "/mcp", "/v1/chat/completions"])(
    "allows a call without a session, which then gets 401: %s",
    (path) => {
      expect(ask({}, "POST", path)).not.toThrow();
      expect(ask({ origin: "https://evil.example" }, "POST", path)).not.toThrow();
      expect(ask({ cookie: "a=b" }, "POST", path)).toThrow("another site");
    },
  );
});
