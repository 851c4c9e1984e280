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
import { newSecret } from "./ids.server";

/** As it is generated, or as an operator sets it: printable, without spaces. */
const USABLE = /^[\x21-\x7e]{32,}$/;

/** What is lost with each secret, by its file. */
const REMEDIES: Readonly<Record<string, string>> = {
  "session.secret": "Delete it: a new one is made, and everyone signs in again.",
  "audit.key":
    "Put the right one back from a copy, or set AUDIT_KEY to it. Only if it is lost, delete it: a new one is made, and earlier audit entries can't be verified any more.",
  "sealing.key":
    "Put the right one back from a copy. Only if it is lost, delete it: a new one is made, and the accounts of MCP servers have to be connected again.",
  "push.key": "Delete it: a new one is made, and browsers have to subscribe to notifications again.",
};

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

/** @param unused names of those that the environment replaces */
export function assertSecrets(folder: string, unused: readonly string[]): void {
  for (const [name, remedy] of Object.entries(REMEDIES))
    if (!unused.includes(name)) assertSecret(join(folder, name), remedy);
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
