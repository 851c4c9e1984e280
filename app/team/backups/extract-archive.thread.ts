import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import Database from "better-sqlite3";
import type { ZodType } from "zod";
import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";
import { CHECKSUMS, DATABASE, FORMAT, formatBytes, isContent, MANIFEST, WORKSPACE } from "./archive-names";
import { BackupChecksums, BackupManifest, type ExtractTask } from "./backup-task";
import { damagedError, readTar, type TarFile } from "./tar";

/** In bytes. */
const MAX_JSON_BYTES = 20_000_000;
const MIGRATIONS = "__drizzle_migrations";

const refused = (message: string) => new AppError("unprocessable", message);

async function readJson<T>(file: TarFile, schema: ZodType<T>): Promise<T> {
  if (file.size > MAX_JSON_BYTES) throw damagedError();
  const pieces: Uint8Array[] = [];
  for await (const piece of file.bytes) pieces.push(Buffer.from(piece));
  try {
    return schema.parse(parseWellFormed(Buffer.concat(pieces).toString("utf8")));
  } catch (error) {
    throw damagedError(error);
  }
}

async function assertManifest({ format, version, bytes }: BackupManifest, folder: string): Promise<void> {
  if (format > FORMAT)
    throw refused(
      `The backup was made by a newer version (${version}). Update the console, then restore it.`,
    );
  const { bavail, bsize } = await statfs(folder);
  if (bytes > bavail * bsize)
    throw new AppError(
      "unavailable",
      `The backup needs ${formatBytes(bytes)} and the disk has ${formatBytes(bavail * bsize)} free. Free some space.`,
    );
}

async function extractFile({ name, bytes }: TarFile, target: string): Promise<string> {
  const path = join(target, name);
  const hash = createHash("sha256");
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const hashed = async function* () {
    for await (const chunk of bytes) {
      hash.update(chunk);
      yield chunk;
    }
  };
  const file = createWriteStream(path, { mode: 0o600, flags: "wx", flush: true });
  try {
    await pipeline(hashed(), file);
  } finally {
    // A pipeline that fails doesn't wait: the file could appear in a folder that is being removed.
    if (!file.closed) await new Promise<void>((closed) => file.once("close", closed));
  }
  return hash.digest("hex");
}

async function extractAll(archive: string, target: string): Promise<BackupManifest> {
  const source = createReadStream(archive, { highWaterMark: 1 << 20 });
  const unpacked = source.pipe(createGunzip());
  source.on("error", (error) => unpacked.destroy(error));
  let manifest: BackupManifest | undefined;
  let checksums: Record<string, string> | undefined;
  let remaining = 0;
  const files = new Map<string, string>();
  try {
    for await (const file of readTar(unpacked)) {
      if (!manifest) {
        if (file.name !== MANIFEST) throw refused("This file is not a backup of the console.");
        manifest = await readJson(file, BackupManifest);
        await assertManifest(manifest, dirname(target));
        await mkdir(target, { mode: 0o700 });
        remaining = manifest.bytes;
      } else if (file.name === CHECKSUMS) checksums = await readJson(file, BackupChecksums);
      else {
        remaining -= file.size;
        if (checksums || remaining < 0 || !isContent(file.name) || files.has(file.name)) throw damagedError();
        files.set(file.name, await extractFile(file, target));
      }
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    // Disk errors aren't the archive's; those of zlib and of streams that it ends midway are.
    if (/^E(?!RR_)/.test((error as NodeJS.ErrnoException).code ?? "")) throw error;
    if (!manifest) throw refused("This file is not a backup of the console.");
    throw damagedError(error);
  } finally {
    unpacked.destroy();
    source.destroy();
  }
  if (!manifest || !checksums || Object.keys(checksums).length !== files.size) throw damagedError();
  for (const [name, checksum] of files) if (checksums[name] !== checksum) throw damagedError();
  return manifest;
}

function openCopy(file: string): Database.Database {
  const raw = new Database(file, { fileMustExist: true });
  raw.pragma("trusted_schema = OFF");
  const verdict = raw.pragma("integrity_check(1)", { simple: true });
  if (verdict === "ok") return raw;
  raw.close();
  throw damagedError();
}

/** @throws AppError `unprocessable` for an unknown or newer schema */
function assertKnownSchema(raw: Database.Database, migrations: readonly string[], version: string): void {
  const table = raw.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(MIGRATIONS);
  const applied = table
    ? (raw.prepare(`SELECT hash FROM ${MIGRATIONS} ORDER BY id`).pluck().all() as string[])
    : [];
  if (applied.length === 0) throw refused("The backup contains no console database.");
  if (applied.some((hash) => !migrations.includes(hash)) && applied[0] === migrations[0])
    throw refused(
      `The backup was made by a newer version (${version}). Update the console, then restore it.`,
    );
  if (applied.some((hash, index) => hash !== migrations[index]))
    throw refused(
      `The backup was made by version ${version}, which is too old for this one. Restore it there, update step by step, and back up again.`,
    );
  const owner = raw.prepare("SELECT 1 FROM users WHERE role = 'owner' AND status = 'active' LIMIT 1").get();
  if (!owner) throw refused("The backup has no owner, so nobody could sign in.");
}

/**
 * Unpacks and verifies checksums, integrity and schema.
 * @throws AppError `unprocessable`, `unavailable` without disk space
 */
export async function extractArchive(task: ExtractTask): Promise<BackupManifest> {
  const { archive, target, migrations } = task;
  const manifest = await extractAll(archive, target);
  const database = join(target, DATABASE);
  if (!(await stat(database).catch(() => undefined))) throw damagedError();
  try {
    const raw = openCopy(database);
    try {
      assertKnownSchema(raw, migrations, manifest.version);
    } finally {
      raw.close();
    }
    if (await stat(join(target, WORKSPACE)).catch(() => undefined)) openCopy(join(target, WORKSPACE)).close();
  } catch (error) {
    throw error instanceof Database.SqliteError ? damagedError(error) : error;
  }
  return manifest;
}
