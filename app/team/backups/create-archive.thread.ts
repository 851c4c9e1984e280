import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, writeFileSync } from "node:fs";
import { copyFile, link, mkdir, open, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import Database from "better-sqlite3";
import { AppError } from "~/core/errors";
import { findStorageFault } from "~/core/storage-faults.server";
import {
  ATTACHMENTS,
  CHECKSUMS,
  DATABASE,
  FORMAT,
  formatBytes,
  MANIFEST,
  PARTIAL,
  POSITION,
  RUNS,
  STAGING,
  WORKSPACE,
} from "./archive-names";
import type { BackupManifest, CreateTask } from "./backup-task";
import { type TarFile, writeTar } from "./tar";

const PAGES = 10_000;
/** Interval of progress, in bytes. */
const REPORT_BYTES = 16 << 20;

function pinSnapshot(file: string): Database.Database {
  const raw = new Database(file, { fileMustExist: true });
  raw.exec("BEGIN");
  raw.prepare("SELECT count(*) FROM sqlite_schema").get();
  return raw;
}

async function copySnapshot(source: Database.Database, target: string): Promise<void> {
  // Without the pinned snapshot SQLite restarts after each write.
  await source.backup(target, { progress: () => PAGES });
  source.close();
}

/** Removes sessions and setup links, and checks the copy. */
function finishCopy(file: string, tables: readonly string[]): void {
  const copy = new Database(file);
  try {
    copy.pragma("journal_mode = DELETE");
    copy.pragma("secure_delete = ON");
    for (const table of tables) copy.exec(`DELETE FROM ${table}`);
    const verdict = copy.pragma("integrity_check(1)", { simple: true });
    if (verdict !== "ok")
      throw new AppError("unprocessable", `The database is damaged: ${String(verdict).slice(0, 200)}`);
  } finally {
    copy.close();
  }
}

/** Backups may be on another disk, or on one without hard links. */
const UNLINKABLE = new Set(["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP"]);

const linkOrCopy = (from: string, to: string): Promise<void> =>
  link(from, to).catch((error: NodeJS.ErrnoException) => {
    if (!UNLINKABLE.has(error.code ?? "")) throw error;
    return copyFile(from, to);
  });

/** Hard-links immutable files, so that cleanup can't delete them. @returns their names */
async function linkFiles(from: string, to: string, isFinished: (name: string) => boolean): Promise<string[]> {
  const names: string[] = [];
  for (const file of await readdir(from).catch(() => [])) {
    if (!isFinished(file)) continue;
    await mkdir(to, { recursive: true, mode: 0o700 });
    const linked = await linkOrCopy(join(from, file), join(to, file)).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return false;
        throw error;
      },
    );
    if (linked) names.push(file);
  }
  return names;
}

async function linkRuns(from: string, to: string): Promise<string[]> {
  const names: string[] = [];
  for (const run of await readdir(from).catch(() => [])) {
    const files = await linkFiles(join(from, run), join(to, run), (file) => file.endsWith(".json"));
    names.push(...files.map((file) => `${RUNS}/${run}/${file}`));
  }
  return names;
}

/** Other names are still being written. */
async function linkAttachments(from: string, to: string): Promise<string[]> {
  const files = await linkFiles(from, to, (file) => /^[0-9a-f]{64}$/.test(file));
  return files.map((file) => `${ATTACHMENTS}/${file}`);
}

async function assertRoom(folder: string, needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= needed) return;
  throw new AppError(
    "unavailable",
    `The disk has ${formatBytes(bavail * bsize)} free, and a backup needs up to ${formatBytes(needed)}. Free some space.`,
  );
}

async function* withChecksums(
  folder: string,
  names: readonly string[],
  manifest: BackupManifest,
): AsyncGenerator<TarFile> {
  const checksums: Record<string, string> = {};
  let read = 0;
  let reported = -REPORT_BYTES;
  const notePosition = () => {
    if (read - reported < REPORT_BYTES) return;
    reported = read;
    writeFileSync(join(folder, POSITION), `${read} ${manifest.bytes}`);
  };
  const inMemory = (name: string, value: unknown): TarFile => {
    const bytes = Buffer.from(JSON.stringify(value));
    return {
      name,
      size: bytes.length,
      bytes: (async function* () {
        yield bytes;
      })(),
    };
  };
  yield inMemory(MANIFEST, manifest);
  for (const name of names) {
    const hash = createHash("sha256");
    const path = join(folder, name);
    const { size } = await stat(path);
    const bytes = async function* () {
      for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
        hash.update(chunk as Buffer);
        notePosition();
        read += (chunk as Buffer).length;
        yield chunk as Buffer;
      }
    };
    yield { name, size, bytes: bytes() };
    checksums[name] = hash.digest("hex");
  }
  yield inMemory(CHECKSUMS, checksums);
}

/** Names the workspace database, as SQLite's errors don't. */
async function asWorkspace<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isDamaged =
      findStorageFault(error) === "damaged" || (error instanceof AppError && error.code === "unprocessable");
    if (!isDamaged) throw error;
    throw new AppError("unprocessable", "The workspace database is damaged.", { cause: error });
  }
}

const sizeOf = async (file: string) => (await stat(file).catch(() => undefined))?.size ?? 0;

async function stage({ dataDir }: CreateTask, staging: string): Promise<string[]> {
  const database = join(dataDir, DATABASE);
  const workspace = join(dataDir, WORKSPACE);
  const required = (await sizeOf(database)) + (await sizeOf(`${database}-wal`)) + (await sizeOf(workspace));
  // Copy and archive, whose compression is unknown.
  await assertRoom(dataDir, 2 * required);
  await mkdir(staging, { recursive: true, mode: 0o700 });
  const pinned = pinSnapshot(database);
  // After the console's snapshot: unfinished steps run again, none is lost.
  const hasWorkspace = (await sizeOf(workspace)) > 0;
  const pinnedWorkspace = hasWorkspace ? await asWorkspace(() => pinSnapshot(workspace)) : undefined;
  const files = [
    ...(await linkRuns(join(dataDir, RUNS), join(staging, RUNS))),
    ...(await linkAttachments(join(dataDir, ATTACHMENTS), join(staging, ATTACHMENTS))),
  ];
  await copySnapshot(pinned, join(staging, DATABASE));
  finishCopy(join(staging, DATABASE), ["sessions", "setup_links"]);
  if (!pinnedWorkspace) return [DATABASE, ...files];
  await asWorkspace(async () => {
    await copySnapshot(pinnedWorkspace, join(staging, WORKSPACE));
    finishCopy(join(staging, WORKSPACE), []);
  });
  return [DATABASE, WORKSPACE, ...files];
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Writes a consistent archive during normal operation and renames it once synced.
 * @returns bytes
 * @throws AppError `unavailable` without disk space, `unprocessable` for a damaged database
 */
export async function createArchive(task: CreateTask): Promise<number> {
  const { target, version, createdAt, auditKey } = task;
  const partial = `${target}${PARTIAL}`;
  const staging = `${target}${STAGING}`;
  try {
    const names = await stage(task, staging);
    let bytes = 0;
    for (const name of names) bytes += await sizeOf(join(staging, name));
    const manifest: BackupManifest = { format: FORMAT, version, createdAt, auditKey, bytes };
    await pipeline(
      writeTar(withChecksums(staging, names, manifest), new Date(createdAt)),
      createGzip({ level: 1 }),
      createWriteStream(partial, { mode: 0o600 }),
    );
    await syncPath(partial);
    await rename(partial, target);
    await syncPath(dirname(target));
    return await sizeOf(target);
  } finally {
    await rm(staging, { recursive: true, force: true });
    await rm(partial, { force: true });
  }
}
