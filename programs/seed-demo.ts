import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { offerBuiltIn } from "~/ai/tools/tools.service.server";
import { watchAuditHead } from "~/console/audit/background.service.server";
import { setClock } from "~/core/clock.server";
import { claimDataFolder } from "~/core/data-folder.server";
import { closeDatabase, openConnection, rawDatabase, setDatabase } from "~/core/db.server";
import { dataDir } from "~/core/env.server";
import { newSecret } from "~/core/ids.server";
import { tools } from "~/tool-list.server";
import { migrate } from "../db/migrate";
import { assertSupportedNode } from "../scripts/node-version.mjs";
import { PEOPLE, TEAM_TITLE } from "./demo/content";
import { addOrganization, emailOf, hasOrganization } from "./demo/organization";
import { addYear, DEMO_DAYS } from "./demo/year";

// `npm run seed:demo` fills an empty data folder with demo data; `-- --remove` deletes it. Other data is
// never touched.

const MARKER = "demo.json";
const WAIT = 2000;

async function seed(folder: string): Promise<string[]> {
  setDatabase(openConnection(join(folder, "quarterdeck.sqlite")));
  try {
    await migrate(rawDatabase(), join(import.meta.dirname, "../db/migrations"));
    if (hasOrganization())
      throw new Error(`${folder} has an organization already. Set DATA_DIR to an empty folder.`);
    // Its personas select some.
    offerBuiltIn(tools);
    const stopWatching = await watchAuditHead();
    const password = newSecret().slice(0, 20);
    const end = Date.now();
    writeFileSync(join(folder, MARKER), JSON.stringify({ organization: TEAM_TITLE, createdAt: end }));
    setClock(() => end - DEMO_DAYS * 24 * 60 * 60_000);
    const demo = await addOrganization(password);
    addYear(demo, end);
    await stopWatching();
    const [first, last] = PEOPLE[0] ?? ["", ""];
    return [
      `The demo organization "${TEAM_TITLE}" is in ${folder}.`,
      `Start the console and sign in as ${emailOf(first, last)} with the password ${password}`,
      "Its documents are processed after the start. Its workflows are started by hand, and its providers have no keys.",
      "Remove it with: npm run seed:demo -- --remove",
    ];
  } finally {
    closeDatabase();
  }
}

function remove(folder: string): string[] {
  if (!existsSync(join(folder, MARKER)))
    throw new Error(`${folder} has no demo organization, so nothing was removed.`);
  // The marker is removed last, so that an interrupted removal can be repeated.
  for (const name of readdirSync(folder))
    if (name !== MARKER && !name.startsWith("process.lock"))
      rmSync(join(folder, name), { recursive: true, force: true });
  rmSync(join(folder, MARKER));
  return [`The demo organization was removed from ${folder}.`];
}

// Sets the mode of SQLite's files.
process.umask(0o077);
// As in `npm start`: the environment takes precedence over the file.
assertSupportedNode();
if (existsSync(".env")) process.loadEnvFile(".env");
try {
  const folder = dataDir();
  const lock = await claimDataFolder(folder, { waitMs: WAIT });
  try {
    const lines = process.argv.includes("--remove") ? remove(folder) : await seed(folder);
    process.stdout.write(`${lines.join("\n")}\n`);
  } finally {
    lock.release();
  }
} catch (error) {
  process.stderr.write(`The demo data can't be changed: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
