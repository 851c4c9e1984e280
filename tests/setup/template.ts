import { mkdirSync, renameSync } from "node:fs";
import { resolve } from "node:path";
import { openConnection } from "~/core/db.server";
import { migrate } from "~db/migrate";

/**
 * Migrates once per run: a copy takes 1 ms, migrations 100. A run that begins beside another one replaces the file in
 * one step, so that the other never finds it missing or half made.
 */
export default async function makeTemplate(): Promise<void> {
  const file = resolve(".cache/template.sqlite");
  mkdirSync(resolve(".cache"), { recursive: true });
  const made = `${file}.${process.pid}`;
  const raw = openConnection(made);
  await migrate(raw, resolve("db/migrations"));
  raw.pragma("wal_checkpoint(TRUNCATE)");
  raw.pragma("journal_mode = DELETE");
  raw.close();
  renameSync(made, file);
}
