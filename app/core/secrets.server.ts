import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { dataDir, env, SECRET_NAMES, type SecretName } from "./env.server";
import { newSecret, sameSecret } from "./ids.server";

/** As it is generated, or as an operator sets it: printable, without spaces. */
const USABLE = /^[\x21-\x7e]{32,}$/;

type Variable = "SESSION_SECRET" | "AUDIT_KEY" | "SEALING_KEY" | "PUSH_KEY";

/** The variable that replaces each file, and what a new one costs. */
const SECRETS: Readonly<Record<SecretName, readonly [variable: Variable, loss: string]>> = {
  "session.secret": ["SESSION_SECRET", "everyone signs in again"],
  "audit.key": ["AUDIT_KEY", "earlier audit entries can't be verified any more"],
  "sealing.key": [
    "SEALING_KEY",
    "the accounts of MCP servers and authenticator apps have to be connected again",
  ],
  "push.key": ["PUSH_KEY", "browsers have to subscribe to notifications again"],
};

const configured = (name: SecretName) => env()[SECRETS[name][0]];

/** @param first what comes before a start that makes a new one */
function remedyFor(name: SecretName, first: string): string {
  const [variable, loss] = SECRETS[name];
  return `Put the right one back from a copy, or set ${variable} to it. Only if it is lost, ${first}start once with REPLACE_KEYS=${name}: a new one is made, and ${loss}.`;
}

/** Mends the mode of a secret. @throws Error for the operator if it can't, or if the secret is unusable */
function assertSecret(file: string, remedy: string): void {
  const facts = statSync(file, { throwIfNoEntry: false });
  if (!facts) return;
  if (!facts.isFile()) throw new Error(`${file} isn't a file. ${remedy}`);
  if ((facts.mode & 0o077) !== 0) {
    try {
      chmodSync(file, 0o600);
    } catch (error) {
      throw new Error(`Other users may read ${file}. Mend it with: chmod 0600 ${file}`, { cause: error });
    }
  }
  const value = readFileSync(file, "utf8").trim();
  if (!USABLE.test(value)) {
    const fault = value.length < 32 ? "it has fewer than 32 characters" : "it isn't plain text";
    throw new Error(`The secret in ${file} is damaged: ${fault}. ${remedy}`);
  }
}

/** @throws Error for the operator if one that is used is damaged */
export function assertSecrets(folder: string): void {
  for (const name of SECRET_NAMES)
    if (!configured(name)) assertSecret(join(folder, name), remedyFor(name, "delete it and "));
}

/** Whether a variable holds a secret, in place of a file in the data folder. */
export const usesVariable = (name: SecretName) => configured(name) !== undefined;

export const hasSecret = (name: SecretName) =>
  configured(name) !== undefined || existsSync(join(dataDir(), name));

/**
 * A new secret in place of a missing one would make what it protects useless without a word.
 * @param protects whether there is something that a secret protects
 * @throws Error for the operator
 */
export function assertNoSecretLost(protects: (name: SecretName) => boolean): void {
  for (const name of SECRET_NAMES)
    if (!hasSecret(name) && !env().REPLACE_KEYS?.includes(name) && protects(name))
      throw new Error(
        `${join(dataDir(), name)} is missing, and the database needs it. ${remedyFor(name, "")}`,
      );
}

/** Whole or not at all, also on a full disk: an empty secret would stop every start. */
function createSecret(file: string): void {
  const partial = `${file}.new`;
  try {
    writeFileSync(partial, newSecret(), { mode: 0o600, flush: true });
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/** Reads or creates a secret in the data folder, outside the database (mode 0600). */
export function secretFile(folder: string, name: string): string {
  const file = join(folder, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) createSecret(file);
  else if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  const value = readFileSync(file, "utf8").trim();
  if (value.length < 32)
    throw new Error(`The secret in ${file} is damaged: it has fewer than 32 characters.`);
  return value;
}

const read = new Map<string, string>();

/** The value of its variable, or of its file in the data folder, which is made on first use. */
export function secret(name: SecretName): string {
  const given = configured(name);
  if (given) return given;
  const folder = dataDir();
  const file = join(folder, name);
  const value = read.get(file) ?? secretFile(folder, name);
  read.set(file, value);
  return value;
}

export const sessionSecret = () => secret("session.secret");

/** HMAC of a text, in base64url. */
export function macOf(value: string): string {
  return createHmac("sha256", sessionSecret()).update(value).digest("base64url");
}

/** Signs a text so that `unsign` detects changes. It is not encrypted. */
export function sign(value: string): string {
  const encoded = Buffer.from(value).toString("base64url");
  return `${encoded}.${macOf(encoded)}`;
}

export function unsign(signed: string): string | undefined {
  const [encoded, mac] = signed.split(".");
  if (!encoded || !mac || !sameSecret(mac, macOf(encoded))) return undefined;
  return Buffer.from(encoded, "base64url").toString("utf8");
}

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const VERSION = "v1";

/** Stored outside the database, so that a copied database reveals no secrets. */
function key(): Buffer {
  return Buffer.from(hkdfSync("sha256", secret("sealing.key"), "", "sealing v1", KEY_BYTES));
}

/** Encrypts a text for storage in the database (AES-256-GCM). @param purpose must be the same to decrypt */
export function seal(text: string, purpose: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key(), iv).setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${VERSION}.${sealed.toString("base64url")}`;
}

/** @returns undefined if the key or purpose differs, or the text was changed */
export function unseal(sealed: string, purpose: string): string | undefined {
  const [version, encoded = ""] = sealed.split(".");
  const bytes = Buffer.from(encoded, "base64url");
  if (version !== VERSION || bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key(), bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
