import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { newSecret } from "./ids.server";

/** Reads or creates a secret in the data folder, outside the database (mode 0600). */
export function secretFile(folder: string, name: string): string {
  const file = join(folder, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    const descriptor = openSync(file, "wx", 0o600);
    try {
      writeSync(descriptor, newSecret());
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  }
  const value = readFileSync(file, "utf8").trim();
  if (value.length < 32)
    throw new Error(`The secret in ${file} is damaged: it has fewer than 32 characters.`);
  return value;
}
