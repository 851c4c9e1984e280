import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { backupTo } from "./backup";

const KEPT_SNAPSHOTS = 5;
const TABLE = "__drizzle_migrations";

function appliedHashes(raw: Database.Database): string[] {
  raw.exec(
    `CREATE TABLE IF NOT EXISTS ${TABLE} (id INTEGER PRIMARY KEY AUTOINCREMENT, hash text NOT NULL, created_at numeric)`,
  );
  return raw.prepare(`SELECT hash FROM ${TABLE} ORDER BY id`).pluck().all() as string[];
}

export function knownMigrations(migrationsFolder: string): string[] {
  return readMigrationFiles({ migrationsFolder }).map(({ hash }) => hash);
}

const CODE = "SELECT name, sql FROM sqlite_master WHERE type IN ('trigger', 'view') ORDER BY name";

/**
 * Rejects a foreign file with own triggers or views, which would run with the console's statements. Call it
 * after migrating.
 */
export async function assertOwnCode(raw: Database.Database, migrationsFolder: string): Promise<void> {
  const fresh = new Database(":memory:");
  try {
    await migrate(fresh, migrationsFolder);
    if (JSON.stringify(raw.prepare(CODE).all()) === JSON.stringify(fresh.prepare(CODE).all())) return;
  } finally {
    fresh.close();
  }
  throw new Error("The database has triggers or views that aren't the console's.");
}

/** Rejects a file that a newer version has migrated, before anything is written to it. */
export function assertNotNewer(file: string, migrationsFolder: string): void {
  if (!existsSync(file)) return;
  const raw = new Database(file, { readonly: true });
  try {
    const table = raw.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(TABLE);
    if (!table) return;
    const ownHashes = new Set(readMigrationFiles({ migrationsFolder }).map((migration) => migration.hash));
    const applied = raw.prepare(`SELECT hash FROM ${TABLE} ORDER BY id`).pluck().all() as string[];
    const unknown = applied.filter((hash) => !ownHashes.has(hash)).length;
    if (unknown > 0) {
      throw new Error(
        `The database ${file} was written by a newer Quarterdeck (${unknown} unknown migration${unknown === 1 ? "" : "s"}). ` +
          "Start that version again, or restore a snapshot made before the upgrade. Nothing was changed.",
      );
    }
  } finally {
    raw.close();
  }
}

const snapshotsOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.startsWith("before-"))
    .sort();

/**
 * Takes a snapshot before migrating. It replaces one of an earlier failed attempt, so that a failing
 * upgrade doesn't fill the disk.
 */
async function takeSnapshot(raw: Database.Database, folder: string, pending: string[]): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const upgrade = createHash("sha256").update(pending.join()).digest("hex").slice(0, 12);
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-");
  const ending = `-${upgrade}-${basename(raw.name)}`;
  const snapshot = `before-${stamp}${ending}`;
  await backupTo(raw, join(folder, snapshot));
  for (const name of snapshotsOf(folder)) {
    if (name !== snapshot && name.includes(ending)) rmSync(join(folder, name));
  }
}

function pruneSnapshots(folder: string): void {
  for (const name of snapshotsOf(folder).slice(0, -KEPT_SNAPSHOTS)) rmSync(join(folder, name));
}

/** Migrates the file in one transaction, after a verified snapshot. @returns how many migrations ran */
export async function migrate(raw: Database.Database, migrationsFolder: string): Promise<number> {
  const migrations = readMigrationFiles({ migrationsFolder });
  const applied = appliedHashes(raw);
  const pending = migrations.filter((migration) => !applied.includes(migration.hash));
  if (pending.length === 0) return 0;

  const snapshots = applied.length > 0 && !raw.memory ? join(dirname(raw.name), "snapshots") : undefined;
  if (snapshots) {
    await takeSnapshot(
      raw,
      snapshots,
      pending.map((migration) => migration.hash),
    );
  }

  // With foreign keys on, a table rebuild would delete all child rows. The pragma has no effect inside a
  // transaction; keys are checked before the commit.
  raw.pragma("foreign_keys = OFF");
  try {
    raw.exec("BEGIN IMMEDIATE");
    try {
      for (const migration of pending) {
        for (const statement of migration.sql) raw.exec(statement);
        raw
          .prepare(`INSERT INTO ${TABLE} (hash, created_at) VALUES (?, ?)`)
          .run(migration.hash, migration.folderMillis);
      }
      const broken = raw.pragma("foreign_key_check") as unknown[];
      if (broken.length > 0)
        throw new Error(`A migration leaves ${broken.length} rows without their parent.`);
      raw.exec("COMMIT");
    } catch (error) {
      if (raw.inTransaction) raw.exec("ROLLBACK");
      throw error;
    }
  } finally {
    raw.pragma("foreign_keys = ON");
  }
  // Only after a success: a failed upgrade must not remove older snapshots.
  if (snapshots) pruneSnapshots(snapshots);
  return pending.length;
}
