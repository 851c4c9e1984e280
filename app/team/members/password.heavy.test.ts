import { afterEach, describe, expect, it } from "vitest";
import { AppError } from "~/core/errors";
import { assertGoodPassword, hashPassword, setArgon2, verifyPassword } from "./password.server";

afterEach(() => setArgon2(true));

describe("passwords", () => {
  it("are hashed with argon2id at OWASP's parameters and a unique salt", async () => {
    const [first, second] = await Promise.all([hashPassword("correct horse"), hashPassword("correct horse")]);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(first).not.toBe(second);
    expect(await verifyPassword(first, "correct horse")).toEqual({ ok: true, outdated: false });
    expect(await verifyPassword(first, "correct hors")).toEqual({ ok: false, outdated: false });
  });

  it("match regardless of Unicode composition", async () => {
    expect((await verifyPassword(await hashPassword("pässwörter sind"), "pässwörter sind")).ok).toBe(true);
  });

  it("fall back to scrypt, replaced by argon2 at the next sign-in", async () => {
    setArgon2(false);
    const hash = await hashPassword("correct horse");
    expect(hash).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$/);
    expect(await verifyPassword(hash, "correct horse")).toEqual({ ok: true, outdated: false });
    expect((await verifyPassword(hash, "wrong horse")).ok).toBe(false);
    setArgon2(true);
    expect(await verifyPassword(hash, "correct horse")).toEqual({ ok: true, outdated: true });
  });

  it("with older parameters need rehashing after a match", async () => {
    const { hash } = await import("@node-rs/argon2");
    const old = await hash("correct horse", { memoryCost: 8192, timeCost: 1, parallelism: 1 });
    expect(await verifyPassword(old, "correct horse")).toEqual({ ok: true, outdated: true });
    expect(await verifyPassword(old, "wrong")).toEqual({ ok: false, outdated: false });
  });

  it("never match a missing account or a damaged hash", async () => {
    expect(await verifyPassword(undefined, "whatever")).toEqual({ ok: false, outdated: false });
    expect(await verifyPassword("$argon2id$damaged", "whatever")).toEqual({ ok: false, outdated: false });
    expect(await verifyPassword("$scrypt$damaged", "whatever")).toEqual({ ok: false, outdated: false });
  });

  it("report that argon2 is missing", async () => {
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
