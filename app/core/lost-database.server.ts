import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describeRecovery } from "./data-faults.server";

/** What a console makes only after its database. A folder counts once something is in it. */
const FILES = ["audit.key", "session.secret", "sealing.key", "push.key", "audit.head", "workspace.db"];
const FOLDERS = ["attachments", "runs", "snapshots", "replaced"];

function listFolder(folder: string): string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
}

function findRemains(folder: string): string[] {
  const files = FILES.filter((name) => existsSync(join(folder, name)));
  const hasBackups = listFolder(join(folder, "backups")).some((name) => name.endsWith(".tar.gz"));
  const folders = FOLDERS.filter((name) => listFolder(join(folder, name)).length > 0);
  return [...files, ...[...(hasBackups ? ["backups"] : []), ...folders].map((name) => `${name}/`)];
}

/**
 * Call it if the database has no tables.
 * @throws Error for the operator, if other files show that the folder is no new installation
 */
export function assertDatabaseNotLost(folder: string): void {
  const remains = findRemains(folder);
  if (remains.length === 0) return;
  const file = join(folder, "quarterdeck.sqlite");
  const state = existsSync(file) ? "is empty" : "is missing";
  throw new Error(
    `The database ${file} ${state}, but the data folder isn't new: it has ${remains.join(", ")}. ` +
      `To go on, ${describeRecovery(folder)}. To begin anew, move these files to another folder.`,
  );
}
