import { randomBytes } from "node:crypto";
import { generate } from "lean-qr";
import { Secret, TOTP } from "otpauth";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { hashSecret } from "~/core/ids.server";
import { seal, unseal } from "~/core/secrets.server";
import * as repo from "./second-factor.repo.server";

/** What every authenticator app supports: SHA-1, 6 digits, 30 s (RFC 6238). */
const DEFAULTS = { algorithm: "SHA1", digits: 6, period: 30 };
/** Steps before and after the present one whose codes count, for clocks that differ. */
const WINDOW = 1;
const RECOVERY_CODES = 10;
/** Of randomness in a recovery code: too many to guess, so a fast hash will do. */
const RECOVERY_BYTES = 10;

const purposeOf = (userId: string) => `authenticator ${userId}`;

/** @returns a new secret in base32 */
export const newAuthenticatorSecret = (): string => new Secret({ size: 20 }).base32;

export function authenticatorUri(secret: string, issuer: string, label: string): string {
  return new TOTP({ ...DEFAULTS, issuer, label, secret }).toString();
}

/** @returns the time step of the code; undefined for a wrong one */
function stepOf(secret: string, code: string): number | undefined {
  const at = now();
  const delta = new TOTP({ ...DEFAULTS, secret }).validate({ token: code, window: WINDOW, timestamp: at });
  return delta === null ? undefined : Math.floor(at / (DEFAULTS.period * 1000)) + delta;
}

export const isAppCode = (text: string): boolean => /^\d{6}$/.test(text.replace(/\s/g, ""));

/** Stores the authenticator if the code is its own, which can't be used again. @returns false for a wrong code */
export function confirmAuthenticator(tx: Db, userId: string, secret: string, code: string): boolean {
  const step = stepOf(secret, code.replace(/\s/g, ""));
  if (step === undefined) return false;
  repo.insertAuthenticator(tx, {
    userId,
    sealedSecret: seal(secret, purposeOf(userId)),
    lastStep: step,
    createdAt: now(),
  });
  return true;
}

/** Uses up a code: each is accepted once. @returns its kind; undefined for a wrong or used one */
export function consumeCode(tx: Db, userId: string, typed: string): "code" | "recovery code" | undefined {
  const code = typed.replace(/[\s-]/g, "").toUpperCase();
  if (!isAppCode(code))
    return repo.consumeRecoveryCode(tx, userId, hashSecret(code)) ? "recovery code" : undefined;
  const row = repo.findAuthenticator(tx, userId);
  if (!row) return undefined;
  const secret = unseal(row.sealedSecret, purposeOf(userId));
  if (secret === undefined) {
    throw new AppError(
      "unavailable",
      "The key that protects authenticator apps is missing. Use a recovery code, or ask an admin.",
    );
  }
  const step = stepOf(secret, code);
  return step !== undefined && repo.advanceStep(tx, userId, step) ? "code" : undefined;
}

/** Replaces the person's recovery codes. @returns the new ones, such as `ABCD-EFGH-2345-6789`, which only hashes keep */
export function renewRecoveryCodes(tx: Db, userId: string): string[] {
  const codes = Array.from(
    { length: RECOVERY_CODES },
    () => new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer }).base32,
  );
  repo.replaceRecoveryCodes(tx, userId, codes.map(hashSecret));
  return codes.map((code) => code.replace(/(.{4})(?=.)/g, "$1-"));
}

/** A QR code as the path of an SVG, one unit a module, without the quiet zone around it. */
export function qrPath(text: string): { size: number; path: string } {
  const code = generate(text);
  const path: string[] = [];
  for (let y = 0; y < code.size; y += 1)
    for (let x = 0; x < code.size; x += 1) if (code.get(x, y)) path.push(`M${x} ${y}h1v1h-1z`);
  return { size: code.size, path: path.join("") };
}
