import { existsSync } from "node:fs";
import { join } from "node:path";
import { dataDir, env } from "~/core/env.server";
import { secretFile } from "~/core/secret-files.server";

const FILE = "audit.key";

let key: { folder: string; value: string } | undefined;

/** Stored outside the database, so that database write access can't forge the trail. */
export function chainKey(): string {
  const configured = env().AUDIT_KEY;
  if (configured) return configured;
  const folder = dataDir();
  if (key?.folder !== folder) key = { folder, value: secretFile(folder, FILE) };
  return key.value;
}

export function hasChainKey(): boolean {
  return env().AUDIT_KEY !== undefined || existsSync(join(dataDir(), FILE));
}
