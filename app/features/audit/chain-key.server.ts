import { existsSync } from "node:fs";
import { join } from "node:path";
import { dataDir, env } from "~/core/env.server";
import { secretFile } from "~/core/secret-files.server";

const FILE = "audit.key";

let key: { folder: string; value: string } | undefined;

/** The chain's key lies outside the database: who can only write the database can't forge the trail. */
export function chainKey(): string {
  const configured = env().AUDIT_KEY;
  if (configured) return configured;
  const folder = dataDir();
  if (key?.folder !== folder) key = { folder, value: secretFile(folder, FILE) };
  return key.value;
}

/** Whether there is a key already; asking for one makes it. */
export function hasChainKey(): boolean {
  return env().AUDIT_KEY !== undefined || existsSync(join(dataDir(), FILE));
}
