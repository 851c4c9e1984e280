import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { AppError } from "~/core/errors";

// The OWASP Password Storage Cheat Sheet recommends argon2id with m=19 MiB, t=2, p=1, or scrypt with N=2^17, r=8, p=1.
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const ARGON2_PREFIX = "$argon2id$v=19$m=19456,t=2,p=1$";
const SCRYPT_LOG_N = 17;
const SCRYPT = { N: 2 ** SCRYPT_LOG_N, r: 8, p: 1, maxmem: 256 * 1024 * 1024 } as const;
const SCRYPT_PREFIX = `$scrypt$ln=${SCRYPT_LOG_N},r=8,p=1$`;
const SCRYPT_LENGTH = 32;

type Argon2 = Pick<typeof import("@node-rs/argon2"), "hash" | "verify">;

let argon2: Promise<Argon2 | undefined> | undefined;

function loadArgon2(): Promise<Argon2 | undefined> {
  // Missing on platforms without a build.
  argon2 ??= import("@node-rs/argon2").catch(() => undefined);
  return argon2;
}

export function setArgon2(available: boolean): void {
  argon2 = available ? undefined : Promise.resolve(undefined);
}

/** Unicode normalization before hashing (NIST SP 800-63B). */
function normalize(password: string): string {
  return password.normalize("NFKC");
}

function deriveScrypt(
  password: string,
  salt: Buffer,
  length: number,
  options: ScryptOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

/** In PHC form, computed off the main thread. */
export async function hashPassword(password: string): Promise<string> {
  const library = await loadArgon2();
  if (library) return library.hash(normalize(password), ARGON2);
  const salt = randomBytes(16);
  const key = await deriveScrypt(normalize(password), salt, SCRYPT_LENGTH, SCRYPT);
  return `${SCRYPT_PREFIX}${salt.toString("base64url")}$${key.toString("base64url")}`;
}

async function verifyScrypt(hash: string, password: string): Promise<boolean> {
  const match = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]+)\$([\w-]+)$/.exec(hash);
  if (!match) return false;
  const [, ln, r, p, salt, key] = match;
  const expected = Buffer.from(key ?? "", "base64url");
  const options = { N: 2 ** Number(ln), r: Number(r), p: Number(p), maxmem: SCRYPT.maxmem };
  const actual = await deriveScrypt(
    normalize(password),
    Buffer.from(salt ?? "", "base64url"),
    expected.length,
    options,
  );
  return timingSafeEqual(actual, expected);
}

let decoy: Promise<string> | undefined;

/**
 * Does the same work without a hash, to avoid a timing side channel.
 * @returns whether it matches and needs rehashing
 * @throws AppError `unavailable` if argon2 can't be loaded
 */
export async function verifyPassword(
  hash: string | null | undefined,
  password: string,
): Promise<{ ok: boolean; outdated: boolean }> {
  const library = await loadArgon2();
  if (!hash) {
    decoy ??= hashPassword(randomBytes(16).toString("hex"));
    await (library ? library.verify(await decoy, normalize(password)) : verifyScrypt(await decoy, password));
    return { ok: false, outdated: false };
  }
  if (hash.startsWith("$scrypt$")) {
    const ok = await verifyScrypt(hash, password);
    return { ok, outdated: ok && (library !== undefined || !hash.startsWith(SCRYPT_PREFIX)) };
  }
  if (!library) {
    throw new AppError(
      "unavailable",
      "The server can't check this password because argon2 isn't available. Ask the operator.",
    );
  }
  const ok = await library.verify(hash, normalize(password)).catch(() => false);
  return { ok, outdated: ok && !hash.startsWith(ARGON2_PREFIX) };
}

/** Rules beyond the length. @throws AppError `invalid` at `field` */
export function assertGoodPassword(password: string, email: string, field = "password"): void {
  const typed = normalize(password).toLowerCase();
  const local = email.split("@")[0] ?? "";
  const refuse = (message: string) => {
    throw new AppError("invalid", message, { fields: { [field]: [message] } });
  };
  if (typed === email || typed === local) refuse("Choose a password other than your email address");
  if (new Set(typed).size < 5) refuse("Use at least 5 different characters");
}
