import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { explainDataFault } from "~/core/data-faults.server";
import { claimDataFolder } from "~/core/data-folder.server";
import { closeDatabase, openConnection, rawDatabase, setDatabase } from "~/core/db.server";
import { dataDir, publicUrl } from "~/core/env.server";
import { switchTrailBy } from "~/platform/audit/audit.service.server";
import { readSetting } from "~/platform/settings/settings.service.server";
import { createOwnerLink, toInvitation } from "~/team/members/invitation.service.server";
import { assertNotNewer, migrate } from "../db/migrate";
import { assertSupportedNode } from "../scripts/node-version.mjs";

// `npm run owner:link -- EMAIL`: a link with which an owner who can't sign in chooses a new password, while no console
// runs.

const migrations = join(dirname(import.meta.dirname), "db/migrations");

async function makeLink(name: string): Promise<string[]> {
  const folder = dataDir();
  const file = join(folder, "quarterdeck.sqlite");
  if (!existsSync(file)) throw new Error(`There is no database at ${file}. Set DATA_DIR.`);
  const lock = await claimDataFolder(folder, { waitMs: 0 });
  try {
    assertNotNewer(file, migrations);
    setDatabase(openConnection(file));
    await migrate(rawDatabase(), migrations);
    switchTrailBy((orgId) => readSetting(orgId, "security.enableAuditLogs"));
    const { inviteUrl, member, expiresAt } = toInvitation(createOwnerLink(name), publicUrl());
    return [
      `Start the console and open this link before ${expiresAt} to choose a new password for ${member.email}. It works once:`,
      inviteUrl,
    ];
  } finally {
    closeDatabase();
    lock.release();
  }
}

assertSupportedNode();
process.umask(0o077);
if (existsSync(".env")) process.loadEnvFile(".env");
try {
  const lines = await makeLink(process.argv[2] ?? "");
  process.stdout.write(`${lines.join("\n")}\n`);
} catch (thrown) {
  const error = explainDataFault(thrown, dataDir());
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
