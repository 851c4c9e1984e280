import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { explainDataFault } from "~/core/data-faults.server";
import { claimDataFolder } from "~/core/data-folder.server";
import { closeDatabase, openConnection, rawDatabase, setDatabase } from "~/core/db.server";
import { dataDir } from "~/core/env.server";
import { hasSecret } from "~/core/secrets.server";
import { append } from "~/platform/audit/audit.service.server";
import { adoptTrail } from "~/platform/audit/verify.service.server";
import { installationOrgId } from "~/platform/settings/settings.service.server";
import { assertNotNewer, migrate } from "../db/migrate";
import { assertSupportedNode } from "../scripts/node-version.mjs";

// `npm run audit:adopt`: takes over a database that something else than the console restored, such as a replica's, while
// no console runs. Its `audit.head` is then missing, or of another moment, which looks like removed entries.

const migrations = join(dirname(import.meta.dirname), "db/migrations");

async function adopt(): Promise<string> {
  const folder = dataDir();
  const file = join(folder, "quarterdeck.sqlite");
  if (!existsSync(file)) throw new Error(`There is no database at ${file}. Set DATA_DIR.`);
  const lock = await claimDataFolder(folder, { waitMs: 0 });
  try {
    // Another key would call each entry a forgery.
    if (!hasSecret("audit.key"))
      throw new Error(
        "The key of the audit trail is missing: set AUDIT_KEY, or put audit.key into DATA_DIR.",
      );
    assertNotNewer(file, migrations);
    setDatabase(openConnection(file));
    await migrate(rawDatabase(), migrations);
    const orgId = installationOrgId();
    if (orgId === undefined)
      throw new Error("The database has no organization yet: there is nothing to adopt.");
    const { brokenAt, entries } = await adoptTrail((tx, facts) =>
      append(
        tx,
        { userId: "system", orgId },
        { action: "database.restored", resource: "system", details: facts },
      ),
    );
    if (brokenAt !== undefined)
      throw new Error(
        `Entry ${brokenAt} of the audit trail was changed or is missing. Nothing was changed. Restore another state, or start the console, where an owner can accept the trail as it is.`,
      );
    return `The audit trail is whole, with ${entries} ${entries === 1 ? "entry" : "entries"}, and its end is recorded. Start the console.`;
  } finally {
    closeDatabase();
    lock.release();
  }
}

assertSupportedNode();
process.umask(0o077);
if (existsSync(".env")) process.loadEnvFile(".env");
try {
  process.stdout.write(`${await adopt()}\n`);
} catch (thrown) {
  const error = explainDataFault(thrown, dataDir());
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
