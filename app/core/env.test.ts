import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { EnvSchema, parseEnv } from "./env.server";

function readExample(): Record<string, string> {
  const lines = readFileSync(".env.example", "utf8").matchAll(/^#?([A-Z][A-Z0-9_]*)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value]));
}

describe(".env.example", () => {
  it("explains every variable that is read, and no other", () => {
    expect(Object.keys(readExample()).sort()).toEqual(Object.keys(EnvSchema.shape).sort());
  });

  it("shows values that are accepted", () => {
    expect(parseEnv(readExample())).toMatchObject({
      PUBLIC_URL: "https://console.example.com",
      OAUTH_ALLOWED_DOMAINS: ["example.com", "example.org"],
      OAUTH_ROLE_MAP: { "console-admins": "admin", "console-users": "member" },
      EGRESS_ALLOW: ["wiki.internal:8080", "*.corp.example", "10.20.0.0/16"],
    });
  });

  it("shows the defaults where a variable has one", () => {
    const example = parseEnv(readExample());
    const defaults = parseEnv({});
    for (const [name, value] of Object.entries(defaults)) {
      if (value !== undefined) expect([name, example[name as keyof typeof example]]).toEqual([name, value]);
    }
  });
});

describe("parseEnv", () => {
  it("treats empty variables as unset", () => {
    const empty = Object.fromEntries(Object.keys(EnvSchema.shape).map((name) => [name, " "]));
    expect(parseEnv(empty)).toEqual(parseEnv({}));
    expect(parseEnv({})).toMatchObject({ PORT: 3000, DATA_DIR: "./data", TRUST_PROXY: 0 });
  });

  it.each([
    ["PORT", "eighty"],
    ["PORT", "70000"],
    ["PUBLIC_URL", "ftp://console.example"],
    ["PUBLIC_URL", "https://console.example/ai?a=1"],
    ["PUBLIC_URL", "https://console.example/a;b"],
    ["PUBLIC_URL", "https://console.example/a/../b"],
    ["PUBLIC_URL", "https://console.example//ai"],
    ["SESSION_SECRET", "hunter2hunter2"],
    ["AUDIT_KEY", "hunter2hunter2"],
    ["LOG_LEVEL", "chatty"],
    ["OWNER_EMAIL", "hunter2hunter2"],
    ["OAUTH_ISSUER", "login.example.com"],
    ["TRUST_PROXY", "everyone"],
  ])("names %s when its value is not usable, without the value", (name, value) => {
    let message = "";
    try {
      parseEnv({ [name]: value });
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain(`${name}: `);
    expect(message).not.toContain(value);
  });

  it("names every variable that is wrong at once", () => {
    expect(() => parseEnv({ PORT: "x", LOG_LEVEL: "y" })).toThrow(/PORT: .*\n.*LOG_LEVEL: /);
  });

  it.each([
    [{ OAUTH_ISSUER: "https://login.example.com" }, "OAUTH_CLIENT_ID"],
    [{ OWNER_EMAIL: "owner@example.com" }, "OWNER_EMAIL and OWNER_PASSWORD must be set together"],
    [{ OWNER_PASSWORD: "a long enough password" }, "OWNER_EMAIL and OWNER_PASSWORD must be set together"],
  ])("refuses half of what belongs together: %j", (source, message) => {
    expect(() => parseEnv(source)).toThrow(message);
  });

  it("says which pair of a role map can't be read", () => {
    expect(() => parseEnv({ OAUTH_ROLE_MAP: "ops=admin, all=king" })).toThrow('"all=king" is not group=role');
  });
});
