import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  EnvSchema,
  isFromEnvFile,
  keyPlace,
  parseEnv,
  readReferencedSecret,
  variableNames,
} from "./env.server";

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

describe("a key in the .env file", () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "quarterdeck-env-"));
    file = join(folder, ".env");
    vi.stubEnv("ENV_FILE", file);
    vi.stubEnv("ENV_FILE_VARIABLES", "QUARTERDECK_KEY_READ SMTP_URL");
    vi.stubEnv("QUARTERDECK_KEY_READ", "as at the start");
    vi.stubEnv("QUARTERDECK_KEY_SHELL", "of the shell");
    vi.stubEnv("SMTP_URL", "smtp://mail.example.com");
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is read as it stands there now; what the environment has goes first", () => {
    const names = ["QUARTERDECK_KEY_READ", "QUARTERDECK_KEY_NEW", "QUARTERDECK_KEY_SHELL"];
    expect(names.map(readReferencedSecret)).toEqual([undefined, undefined, "of the shell"]);
    writeFileSync(file, names.map((name) => `${name}="one"\n`).join(""));
    expect(names.map(readReferencedSecret)).toEqual(["one", "one", "of the shell"]);
    expect(names.map(isFromEnvFile)).toEqual([true, true, false]);
    expect(variableNames()).toEqual(expect.arrayContaining(names));
    writeFileSync(file, "QUARTERDECK_KEY_READ=another\n");
    expect(names.map(readReferencedSecret)).toEqual(["another", undefined, "of the shell"]);
  });

  it("doesn't change the console's own settings", () => {
    writeFileSync(file, "SMTP_URL=smtp://elsewhere.example.com\nQDRANT_URL=http://qdrant.example.com\n");
    expect([readReferencedSecret("SMTP_URL"), readReferencedSecret("QDRANT_URL")]).toEqual([
      "smtp://mail.example.com",
      undefined,
    ]);
  });

  it("isn't read from a file that is too large, or was never the console's", () => {
    writeFileSync(file, `QUARTERDECK_KEY_NEW=one\n${"#".repeat(1_000_000)}`);
    expect(readReferencedSecret("QUARTERDECK_KEY_NEW")).toBeUndefined();
    vi.stubEnv("ENV_FILE", undefined);
    writeFileSync(file, "QUARTERDECK_KEY_NEW=one\n");
    expect(readReferencedSecret("QUARTERDECK_KEY_NEW")).toBeUndefined();
  });

  it("says where a key is set", () => {
    expect(keyPlace([])).toBe("file");
    vi.stubEnv("ENV_FILE", undefined);
    expect([keyPlace([]), keyPlace([folder])]).toEqual(["environment", "compose"]);
  });
});
