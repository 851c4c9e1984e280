import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { readMigrationFiles } from "drizzle-orm/migrator";

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
 * @param open opens a database with the functions that the console's triggers call
 */
export async function assertOwnCode(
  raw: Database.Database,
  migrationsFolder: string,
  open: (file: string) => Database.Database,
): Promise<void> {
  const fresh = open(":memory:");
  try {
    await migrate(fresh, migrationsFolder);
    if (JSON.stringify(raw.prepare(CODE).all()) === JSON.stringify(fresh.prepare(CODE).all())) return;
  } finally {
    fresh.close();
  }
  throw new Error("The database has triggers or views that aren't the console's.");
}

interface Applied {
  hash: string;
  /** Of the migration, not of its run. */
  createdAt: number;
}

/** @returns "foreign" for a database with tables but without migrations */
function readApplied(file: string): Applied[] | "foreign" {
  const raw = new Database(file, { readonly: true });
  try {
    const tables = raw.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
    if (!tables.includes(TABLE)) return tables.length > 0 ? "foreign" : [];
    return raw.prepare(`SELECT hash, created_at AS createdAt FROM ${TABLE} ORDER BY id`).all() as Applied[];
  } finally {
    raw.close();
  }
}

export function isBlank(file: string): boolean {
  if (!existsSync(file)) return true;
  const applied = readApplied(file);
  return applied !== "foreign" && applied.length === 0;
}

function canOpen(file: string, known: ReadonlySet<string>): boolean {
  try {
    const applied = readApplied(file);
    return applied !== "foreign" && applied.every(({ hash }) => known.has(hash));
  } catch {
    return false;
  }
}

/** @returns the newest snapshot of a database that a program with these migrations can open */
function findSnapshot(file: string, known: ReadonlySet<string>): string | undefined {
  const folder = join(dirname(file), "snapshots");
  if (!existsSync(folder)) return undefined;
  const whole = snapshotsOf(folder).filter((name) => name.endsWith(basename(file)));
  return whole.map((name) => join(folder, name)).findLast((snapshot) => canOpen(snapshot, known));
}

function describeNewer(file: string, unknown: readonly Applied[], snapshot: string | undefined): string {
  const day = new Date(unknown.at(-1)?.createdAt ?? 0).toISOString().slice(0, 10);
  const wayBack = snapshot
    ? `replace the database with ${snapshot}, a copy from before its update`
    : "import a backup of this version into an empty data folder";
  return (
    `The database ${file} was written by a newer Quarterdeck, of ${day} or later (${unknown.length} unknown migration${unknown.length === 1 ? "" : "s"}). ` +
    `Start that version again, or ${wayBack}: see "Upgrades" in docs/operating.md. Nothing was changed.`
  );
}

/** Rejects a file that a newer version has migrated or another program has made, before anything is written to it. */
export function assertNotNewer(file: string, migrationsFolder: string): void {
  if (!existsSync(file)) return;
  const known = new Set(knownMigrations(migrationsFolder));
  const applied = readApplied(file);
  const unknown = applied === "foreign" ? [] : applied.filter(({ hash }) => !known.has(hash));
  if (applied === "foreign" || (unknown.length > 0 && unknown.length === applied.length))
    throw new Error(
      `${file} is the database of another program. Set DATA_DIR to another folder, or move that file away. Nothing was changed.`,
    );
  if (unknown.length > 0) throw new Error(describeNewer(file, unknown, findSnapshot(file, known)));
}

const snapshotsOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.startsWith("before-"))
    .sort();

/**
 * Takes a snapshot before migrating. It replaces one of an earlier failed attempt, so that a failing
 * upgrade doesn't fill the disk.
 * @returns its path
 */
async function takeSnapshot(raw: Database.Database, folder: string, pending: string[]): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const upgrade = createHash("sha256").update(pending.join()).digest("hex").slice(0, 12);
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-");
  const ending = `-${upgrade}-${basename(raw.name)}`;
  const snapshot = `before-${stamp}${ending}`;
  await backupTo(raw, join(folder, snapshot));
  for (const name of snapshotsOf(folder)) {
    if (name !== snapshot && name.includes(ending)) rmSync(join(folder, name));
  }
  return join(folder, snapshot);
}

function pruneSnapshots(folder: string): void {
  for (const name of snapshotsOf(folder).slice(0, -KEPT_SNAPSHOTS)) rmSync(join(folder, name));
}

/**
 * Migrates the file in one transaction, after a verified snapshot.
 * @param updating is called before an existing file is changed, with the number of migrations and the snapshot's path
 * @returns how many migrations ran
 */
export async function migrate(
  raw: Database.Database,
  migrationsFolder: string,
  updating?: (count: number, snapshot: string) => void,
): Promise<number> {
  const migrations = readMigrationFiles({ migrationsFolder });
  const applied = appliedHashes(raw);
  const pending = migrations.filter((migration) => !applied.includes(migration.hash));
  if (pending.length === 0) return 0;

  const snapshots = applied.length > 0 && !raw.memory ? join(dirname(raw.name), "snapshots") : undefined;
  if (snapshots) {
    const hashes = pending.map((migration) => migration.hash);
    const snapshot = await takeSnapshot(raw, snapshots, hashes);
    updating?.(pending.length, snapshot);
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

/**
 * Writes a consistent copy through SQLite's backup API, and checks it before renaming it into place.
 * @throws Error when the integrity check fails
 */
async function backupTo(raw: Database.Database, target: string): Promise<void> {
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  await raw.backup(partial);
  const copy = new Database(partial);
  try {
    copy.pragma("journal_mode = DELETE");
    const verdict = copy.pragma("integrity_check", { simple: true });
    if (verdict !== "ok")
      throw new Error(`The backup ${target} is damaged: ${String(verdict).slice(0, 200)}`);
  } finally {
    copy.close();
  }
  chmodSync(partial, 0o600);
  renameSync(partial, target);
}
