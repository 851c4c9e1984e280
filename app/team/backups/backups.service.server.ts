import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, gunzip } from "node:zlib";
import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { withReserve } from "~/core/disk-reserve.server";
import { dataDir } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { readUnlessDamaged } from "~/core/storage-faults.server";
import { append } from "~/platform/audit/audit.service.server";
import { chainKeyFingerprint } from "~/platform/audit/verify.service.server";
import { enqueue, findActive } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { DATABASE, MANIFEST, POSITION, STAGING } from "./archive-names";
import {
  BACKUP_KINDS,
  type BackupKind,
  type BackupProgress,
  type BackupView,
  type MaintenanceOutcome,
} from "./backups.schema";
import { backupPool, installation, isRestoring } from "./maintenance.service.server";
import { readOutcome } from "./restore-files";

const NoInput = z.object({});

export const requestedBackup = declareJob({ kind: "backups.create", input: NoInput, lane: "maintenance" });
export const scheduledBackup = declareJob({ kind: "backups.schedule", input: NoInput, lane: "maintenance" });
export const compactDatabase = declareJob({ kind: "backups.compact", input: NoInput, lane: "maintenance" });
export const checkDatabase = declareJob({ kind: "backups.check", input: NoInput, lane: "maintenance" });

const NAME = new RegExp(
  `^(?:backup|quarterdeck)-(\\d{4}-\\d\\d-\\d\\dT)(\\d\\d)-(\\d\\d)-(\\d\\d)Z-(${BACKUP_KINDS.join("|")})\\.tar\\.gz$`,
);
const LISTED = /^[A-Za-z0-9][A-Za-z0-9._-]{0,110}\.tar\.gz$/;
const UNFINISHED = /\.(?:partial|staging|upload)$/;
const PIECE = 256 * 1024;

const backupsFolder = () => join(dataDir(), "backups");
export const backupFile = (name: string) => join(backupsFolder(), name);

const nameAt = (at: number, kind: BackupKind) =>
  `backup-${new Date(at).toISOString().slice(0, 19).replaceAll(":", "-")}Z-${kind}.tar.gz`;

/** Names have a resolution of seconds; a later backup must not replace an earlier one. */
function freeNameAt(at: number, kind: BackupKind): string {
  let name = nameAt(at, kind);
  for (let second = 1; existsSync(backupFile(name)); second++) name = nameAt(at + second * 1000, kind);
  return name;
}

async function toView(name: string): Promise<BackupView | undefined> {
  if (!LISTED.test(name)) return undefined;
  const facts = await stat(backupFile(name)).catch(() => undefined);
  if (!facts?.isFile()) return undefined;
  const [, day, hours, minutes, seconds, kind] = NAME.exec(name) ?? [];
  const knownKind = BACKUP_KINDS.find((one) => one === kind);
  const createdAt = knownKind ? `${day}${hours}:${minutes}:${seconds}.000Z` : facts.mtime.toISOString();
  return { name, kind: knownKind ?? "other", bytes: facts.size, createdAt };
}

async function findBackups(): Promise<BackupView[]> {
  const names = await readdir(backupsFolder()).catch(() => []);
  const views = await Promise.all(names.map(toView));
  return views
    .filter((one) => one !== undefined)
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt) || b.name.localeCompare(a.name));
}

export function listBackups(actor: Actor): Promise<BackupView[]> {
  authorise(actor, "backup.manage");
  return findBackups();
}

export interface BackupsState {
  /** Null for those who may not list them. */
  backups: BackupView[] | null;
  active: "create" | "restore" | "compact" | "check" | null;
  progress: BackupProgress | null;
  outcome: MaintenanceOutcome | null;
}

function findActiveWork(): Pick<BackupsState, "active" | "progress"> {
  if (isRestoring()) return { active: "restore", progress: null };
  if (findActive(db(), compactDatabase, "compact")) return { active: "compact", progress: null };
  const creating = findActive(db(), requestedBackup, "create");
  if (creating) return { active: "create", progress: creating.progress };
  const progress = findActive(db(), scheduledBackup, `schedule:${scheduledBackup.kind}`)?.progress ?? null;
  if (progress) return { active: "create", progress };
  return { active: findActive(db(), checkDatabase, "check") ? "check" : null, progress: null };
}

export async function readBackups(actor: Actor): Promise<BackupsState> {
  authorise(actor, "settings.manage");
  const backups = may(actor, "backup.manage") ? await listBackups(actor) : null;
  const work = readUnlessDamaged(findActiveWork, { active: null, progress: null });
  return { backups, ...work, outcome: readOutcome(dataDir()) ?? null };
}

export async function requireBackup(name: string): Promise<BackupView> {
  const view = await toView(name);
  if (!view) throw new AppError("not_found", "Backup not found. It may have been deleted.");
  return view;
}

export async function createBackup(
  kind: BackupKind,
  signal?: AbortSignal,
  report?: (progress: BackupProgress) => void,
): Promise<{ name: string; bytes: number }> {
  const at = now();
  const name = freeNameAt(at, kind);
  await mkdir(backupsFolder(), { recursive: true, mode: 0o700 });
  const target = backupFile(name);
  const unwatch = report && (await watchBackup(dataDir(), target, report));
  try {
    const { bytes } = await backupPool.run(
      {
        kind: "create",
        dataDir: dataDir(),
        target,
        version: installation().version,
        createdAt: new Date(at).toISOString(),
        auditKey: chainKeyFingerprint(),
      },
      signal,
    );
    return { name, bytes };
  } finally {
    unwatch?.();
  }
}

export async function pruneScheduled(keep: number): Promise<void> {
  const scheduled = (await findBackups()).filter(({ kind }) => kind === "scheduled");
  for (const { name } of scheduled.slice(keep)) await rm(backupFile(name), { force: true });
}

/** In ms since the epoch. */
export async function newestScheduledAt(): Promise<number | undefined> {
  const newest = (await findBackups()).find(({ kind }) => kind === "scheduled");
  return newest && Date.parse(newest.createdAt);
}

export async function sweepUnfinished(): Promise<void> {
  const names = await readdir(backupsFolder()).catch(() => []);
  for (const name of names)
    if (UNFINISHED.test(name)) await rm(backupFile(name), { recursive: true, force: true });
}

export function startBackup(actor: Actor): void {
  authorise(actor, "backup.manage");
  transaction((tx) => {
    enqueue(tx, requestedBackup, {}, { actor, dedupeKey: "create" });
    append(tx, actor, { action: "backup.requested", resource: "backups" });
  });
}

export function startCompaction(actor: Actor): void {
  authorise(actor, "backup.manage");
  transaction((tx) => {
    enqueue(tx, compactDatabase, {}, { actor, dedupeKey: "compact" });
    append(tx, actor, { action: "compaction.requested", resource: "database" });
  });
}

export function startCheck(actor: Actor): void {
  authorise(actor, "settings.manage");
  transaction((tx) => {
    enqueue(tx, checkDatabase, {}, { actor, dedupeKey: "check" });
    append(tx, actor, { action: "check.requested", resource: "database" });
  });
}

export async function deleteBackup(actor: Actor, name: string): Promise<{ name: string }> {
  authorise(actor, "backup.manage");
  await requireBackup(name);
  withReserve(actor, () =>
    transaction((tx) =>
      append(tx, actor, { action: "backup.deleted", resource: `backup:${name}`, details: { name } }),
    ),
  );
  await rm(backupFile(name), { force: true });
  return { name };
}

function* piecesOf(file: string): Generator<Uint8Array> {
  const descriptor = openSync(file, "r");
  try {
    for (;;) {
      const piece = Buffer.alloc(PIECE);
      const read = readSync(descriptor, piece);
      if (read === 0) return;
      yield piece.subarray(0, read);
    }
  } finally {
    closeSync(descriptor);
  }
}

export async function openBackup(
  actor: Actor,
  name: string,
): Promise<{ name: string; size: number; pieces: Iterable<Uint8Array> }> {
  authorise(actor, "backup.manage");
  const { bytes } = await requireBackup(name);
  transaction((tx) =>
    append(tx, actor, { action: "backup.downloaded", resource: `backup:${name}`, details: { name } }),
  );
  return { name, size: bytes, pieces: piecesOf(backupFile(name)) };
}

interface UploadPart {
  kind: "field" | "file";
  fileName?: string;
  bytes?: AsyncIterable<Uint8Array>;
}

/** In bytes: at most a thousand times as much when unpacked. */
const HEAD = 2000;
const unzip = promisify(gunzip);

/** Whether a file begins as `createArchive` writes one: with its manifest. */
async function beginsAsBackup(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    const head = await unzip(buffer.subarray(0, bytesRead), { finishFlush: constants.Z_SYNC_FLUSH });
    return head.subarray(0, MANIFEST.length + 1).toString() === `${MANIFEST}\0`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith("Z_")) return false;
    throw error;
  } finally {
    await file.close();
  }
}

/** Stores an uploaded backup; a restore verifies the rest of it. @throws AppError `invalid` */
export async function receiveBackup(parts: AsyncIterable<UploadPart>): Promise<{ name: string }> {
  const name = freeNameAt(now(), "uploaded");
  const unfinished = backupFile(`${name}.upload`);
  await mkdir(backupsFolder(), { recursive: true, mode: 0o700 });
  try {
    let size = 0;
    const file = await open(unfinished, "w", 0o600);
    try {
      for await (const { kind, bytes } of parts) {
        if (kind !== "file" || !bytes || size > 0) continue;
        for await (const chunk of bytes) {
          size += chunk.byteLength;
          // `write` may store only a part of it.
          await file.writeFile(chunk);
        }
      }
      await file.sync();
    } finally {
      await file.close();
    }
    if (size === 0) throw new AppError("invalid", "Choose a backup file.");
    if (!(await beginsAsBackup(unfinished)))
      throw new AppError("invalid", "This file is not a backup of the console.");
    await rename(unfinished, backupFile(name));
    return { name };
  } finally {
    await rm(unfinished, { force: true });
  }
}

export async function uploadBackup(
  actor: Actor,
  parts: AsyncIterable<UploadPart>,
): Promise<{ name: string }> {
  authorise(actor, "backup.manage");
  const { name } = await receiveBackup(parts);
  transaction((tx) =>
    append(tx, actor, { action: "backup.uploaded", resource: `backup:${name}`, details: { name } }),
  );
  return { name };
}

/** Polling interval, in ms. */
const POLL_INTERVAL = 500;

const sizeOf = async (file: string) => (await stat(file).catch(() => undefined))?.size ?? 0;

/** Progress by the files written so far; null before the first. */
export async function readBackupProgress(target: string, total: number): Promise<BackupProgress | null> {
  const staging = `${target}${STAGING}`;
  const position = await readFile(join(staging, POSITION), "utf8").catch(() => "");
  const [compressed = 0, all = 0] = position.split(" ").map(Number);
  if (all > 0) return { step: "compressing", done: compressed, total: all };
  const copied = await sizeOf(join(staging, DATABASE));
  return copied > 0 ? { step: "copying", done: Math.min(copied, total), total } : null;
}

async function watchBackup(
  folder: string,
  target: string,
  report: (progress: BackupProgress) => void,
): Promise<() => void> {
  const database = join(folder, DATABASE);
  const total = (await sizeOf(database)) + (await sizeOf(`${database}-wal`));
  let isOpen = true;
  const poll = async () => {
    const progress = await readBackupProgress(target, total);
    if (progress && isOpen) report(progress);
  };
  const timer = setInterval(() => void poll(), POLL_INTERVAL);
  return () => {
    isOpen = false;
    clearInterval(timer);
  };
}
