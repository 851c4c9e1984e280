import { afterEach, describe, expect, it } from "vitest";
import { AppError } from "~/core/errors";
import { assertGoodPassword, hashPassword, setArgon2, verifyPassword } from "./password.server";

afterEach(() => setArgon2(true));

describe("passwords", () => {
  it("are hashed with argon2id at OWASP's parameters, each with a salt of its own", async () => {
    const [first, second] = await Promise.all([hashPassword("correct horse"), hashPassword("correct horse")]);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(first).not.toBe(second);
    expect(await verifyPassword(first, "correct horse")).toEqual({ ok: true, outdated: false });
    expect(await verifyPassword(first, "correct hors")).toEqual({ ok: false, outdated: false });
  });

  it("are the same however their characters were composed", async () => {
    expect((await verifyPassword(await hashPassword("pässwörter sind"), "pässwörter sind")).ok).toBe(true);
  });

  it("fall back to scrypt, which argon2 replaces at the next sign-in", async () => {
    setArgon2(false);
    const hash = await hashPassword("correct horse");
    expect(hash).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$/);
    expect(await verifyPassword(hash, "correct horse")).toEqual({ ok: true, outdated: false });
    expect((await verifyPassword(hash, "wrong horse")).ok).toBe(false);
    setArgon2(true);
    expect(await verifyPassword(hash, "correct horse")).toEqual({ ok: true, outdated: true });
  });

  it("with older parameters count as outdated once they are right", async () => {
    const { hash } = await import("@node-rs/argon2");
    const old = await hash("correct horse", { memoryCost: 8192, timeCost: 1, parallelism: 1 });
    expect(await verifyPassword(old, "correct horse")).toEqual({ ok: true, outdated: true });
    expect(await verifyPassword(old, "wrong")).toEqual({ ok: false, outdated: false });
  });

  it("of accounts that don't exist, and damaged hashes, are wrong", async () => {
    expect(await verifyPassword(undefined, "whatever")).toEqual({ ok: false, outdated: false });
    expect(await verifyPassword("$argon2id$damaged", "whatever")).toEqual({ ok: false, outdated: false });
    expect(await verifyPassword("$scrypt$damaged", "whatever")).toEqual({ ok: false, outdated: false });
  });

  it("can't be checked where argon2 is missing, and the message says so", async () => {
    const hash = await hashPassword("correct horse");
    setArgon2(false);
    await expect(verifyPassword(hash, "correct horse")).rejects.toThrow(/argon2/);
  });

  it.each(["owner@example.org", "Owner@Example.org", "aaaaaaaaaaaaaaaa"])(
    "%s is refused as a new one",
    (bad) => {
      expect(() => assertGoodPassword(bad, "owner@example.org")).toThrow(AppError);
    },
  );
});
