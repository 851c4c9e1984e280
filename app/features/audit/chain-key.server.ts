import { dataDir, env } from "~/core/env.server";
import { secretFile } from "~/core/secret-files.server";

let key: { folder: string; value: string } | undefined;

/** The chain's key lies outside the database: who can only write the database can't forge the trail. */
export function chainKey(): string {
  const configured = env().AUDIT_KEY;
  if (configured) return configured;
  const folder = dataDir();
  if (key?.folder !== folder) key = { folder, value: secretFile(folder, "audit.key") };
  return key.value;
}
