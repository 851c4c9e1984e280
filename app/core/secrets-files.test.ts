import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setEnv } from "./env.server";
import { assertNoSecretLost, secret, secretFile } from "./secrets.server";

describe("a secret in the data folder", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "quarterdeck-secret-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const mode = (path: string) => statSync(path).mode & 0o777;

  it("creates the secret on first use, for its owner's eyes only, and stays the same", () => {
    const data = join(folder, "data");
    const secret = secretFile(data, "session.key");
    expect(secret).toHaveLength(43);
    expect(mode(join(data, "session.key"))).toBe(0o600);
    expect(mode(data)).toBe(0o700);
    expect(secretFile(data, "session.key")).toBe(secret);
    expect(secretFile(data, "audit.key")).not.toBe(secret);
  });

  it("is whole or not there: what a crash left of it is replaced", () => {
    writeFileSync(join(folder, "session.key.new"), "hal");
    expect(secretFile(folder, "session.key")).toHaveLength(43);
    expect(readdirSync(folder)).toEqual(["session.key"]);
  });

  it("restricts the mode of an existing file", () => {
    secretFile(folder, "session.key");
    chmodSync(join(folder, "session.key"), 0o644);
    secretFile(folder, "session.key");
    expect(mode(join(folder, "session.key"))).toBe(0o600);
  });

  it("refuses a damaged file instead of making the sessions guessable", () => {
    writeFileSync(join(folder, "session.key"), "");
    expect(() => secretFile(folder, "session.key")).toThrow("is damaged");
  });
});

describe("a secret that is missing", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "quarterdeck-secret-"));
    setEnv({ DATA_DIR: folder });
  });
  afterEach(() => {
    setEnv(undefined);
    rmSync(folder, { recursive: true, force: true });
  });

  it("is refused if it protects something, with what to bring back", () => {
    expect(() => assertNoSecretLost((name) => name === "sealing.key")).toThrow(
      `${join(folder, "sealing.key")} is missing, and the database needs it. Put the right one back from a copy, or set SEALING_KEY to it. Only if it is lost, start once with REPLACE_KEYS=sealing.key:`,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["its file", () => writeFileSync(join(folder, "sealing.key"), "k".repeat(43))],
    ["its variable", () => setEnv({ DATA_DIR: folder, SEALING_KEY: "k".repeat(43) })],
    ["leave to make a new one", () => setEnv({ DATA_DIR: folder, REPLACE_KEYS: "push.key, sealing.key" })],
  ])("is no fault with %s", (_, arrange) => {
    arrange();
    expect(() => assertNoSecretLost((name) => name === "sealing.key")).not.toThrow();
  });

  it("is made where nothing needs it", () => {
    expect(() => assertNoSecretLost(() => false)).not.toThrow();
    expect(secret("push.key")).toHaveLength(43);
  });
});
