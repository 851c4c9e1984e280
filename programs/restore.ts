import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { explainDataFault } from "~/core/data-faults.server";
import { claimDataFolder } from "~/core/data-folder.server";
import { closeDatabase, openConnection, rawDatabase, setDatabase } from "~/core/db.server";
import { dataDir } from "~/core/env.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { describeInstallation } from "~/team/backups/maintenance.service.server";
import {
  beginRestore,
  newReplacedFolder,
  prepareRestore,
  REPLACED_DAYS,
  stateOfRestore,
} from "~/team/backups/restore.service.server";
import { assertOwnCode, knownMigrations, migrate } from "../db/migrate";
import { assertSupportedNode } from "../scripts/node-version.mjs";

// `npm run restore -- FILE`: puts a backup in the place of a data folder's state, while no console runs.

const migrations = join(dirname(import.meta.dirname), "db/migrations");
const backups = () => join(dataDir(), "backups");

const print = (line: string) => process.stdout.write(`${line}\n`);

function listBackups(): string {
  const names = existsSync(backups())
    ? readdirSync(backups()).filter((name) => name.endsWith(".tar.gz"))
    : [];
  if (names.length === 0) return `There are no backups in ${backups()}.`;
  return `Backups in ${backups()}:\n${names
    .sort()
    .reverse()
    .map((name) => `  ${name}`)
    .join("\n")}`;
}

/** @throws Error naming the places that were looked at */
function findArchive(file: string): string {
  const here = resolve(file);
  const listed = join(backups(), file);
  if (existsSync(here)) return here;
  if (!isAbsolute(file) && existsSync(listed)) return listed;
  throw new Error(
    `There is no file ${here}${isAbsolute(file) ? "" : `, and no ${listed}`}.\n${listBackups()}`,
  );
}

/** From the plan of the restore on, what an error leaves is up to the plan's state. */
let isPlanned = false;

const LEFT = {
  ready: "The next start of the console applies the backup.",
  moving: "The next start of the console brings the earlier state back.",
  started: "The next start of the console brings the earlier state back.",
  done: "The backup is in place: start the console.",
};

function describeLeft(): string {
  const state = isPlanned ? stateOfRestore() : undefined;
  return state ? LEFT[state] : "Nothing was changed.";
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Applies the planned restore as a start does. @throws Error after bringing the replaced files back, if that is possible */
async function applyPlan(): Promise<void> {
  const restore = await beginRestore();
  if (!restore) throw new Error("The restore wasn't planned.");
  try {
    setDatabase(openConnection(join(dataDir(), "quarterdeck.sqlite")));
    await migrate(rawDatabase(), migrations);
    await assertOwnCode(rawDatabase(), migrations, openConnection);
    await restore.adopt();
    closeDatabase();
  } catch (error) {
    closeDatabase();
    try {
      await restore.undo(error);
    } catch (undoError) {
      throw new Error(`${messageOf(error)} Undoing the restore failed: ${messageOf(undoError)}`);
    }
    throw error;
  }
  restore.finish();
}

async function restore(file: string): Promise<void> {
  const folder = dataDir();
  const lock = await claimDataFolder(folder, { waitMs: 0 });
  try {
    const archive = findArchive(file);
    const name = basename(archive);
    describeInstallation({
      migrations: knownMigrations(migrations),
      version: "",
      restart: async () => undefined,
    });
    print(`Checking ${archive} …`);
    const confirm = await prepareRestore({ name, archive, means: "restore", userId: null });
    const keptIn = newReplacedFolder();
    isPlanned = true;
    confirm(keptIn);
    await applyPlan();
    print(`${name} was restored into ${folder}.`);
    if (existsSync(join(folder, keptIn)))
      print(
        `The files it replaced are in ${join(folder, keptIn)}. The console deletes them after ${REPLACED_DAYS} days.`,
      );
    print("Start the console. Everyone signs in again.");
  } finally {
    await closeWorkerPools();
    lock.release();
  }
}

assertSupportedNode();
process.umask(0o077);
if (existsSync(".env")) process.loadEnvFile(".env");
const [file] = process.argv.slice(2);
try {
  if (!file) throw new Error(`Name a backup: npm run restore -- FILE.\n${listBackups()}`);
  await restore(file);
} catch (thrown) {
  const message = messageOf(explainDataFault(thrown, dataDir()));
  process.stderr.write(file ? `${message} ${describeLeft()}\n` : `${message}\n`);
  process.exitCode = 1;
}
