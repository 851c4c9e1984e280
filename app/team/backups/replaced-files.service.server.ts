import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { now } from "~/core/clock.server";
import { dataDir } from "~/core/env.server";

// Files that a restore replaced and that had no backup, each time in a folder named by its time.

export const REPLACED_DAYS = 30;

const FOLDER = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)Z$/;

/** A new folder for replaced files, in the data folder. */
export const newReplacedFolder = () =>
  `replaced/${new Date(now()).toISOString().slice(0, 19).replaceAll(":", "-")}Z`;

/** Deletes replaced files after their time; folders with other names stay. */
export async function pruneReplaced(): Promise<void> {
  const folder = join(dataDir(), "replaced");
  const before = now() - REPLACED_DAYS * 24 * 60 * 60_000;
  for (const name of await readdir(folder).catch(() => [])) {
    const [, hour, minute, second] = FOLDER.exec(name) ?? [];
    if (hour && Date.parse(`${hour}:${minute}:${second}Z`) < before)
      await rm(join(folder, name), { recursive: true, force: true });
  }
}
