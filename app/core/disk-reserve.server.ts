import { randomBytes } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Role } from "./actor";
import { rawDatabase } from "./db.server";
import { dataDir } from "./env.server";
import { AppError } from "./errors";
import { log } from "./log.server";
import { codesOf, explainStorageFault, isDiskFull } from "./storage-faults.server";

// Space that is given back on a full disk, so that the console starts and an owner can sign in and delete. It is several
// files: a disk can also run out of files, and what one deletion leaves over, other work uses up.

const PIECES = 16;
const PIECE_BYTES = 1024 * 1024;
/** A start takes up to 4 MB. */
const NEEDED_FOR_START = 4 * PIECE_BYTES;
/** Left by starts for owners' deletions and the removal of what was deleted. */
const KEPT_BY_STARTS = 4;
/** The reserve leaves as much free as it takes. */
const NEEDED_FOR_RESERVE = 2 * PIECES * PIECE_BYTES;
/** In ms. */
const INTERVAL = 60_000;

const folderOf = (folder: string) => join(folder, "reserve");

/** Deletes the last piece, of those after `kept`. @returns whether there was one */
function releasePiece(folder: string, kept = 0): boolean {
  for (let piece = PIECES; piece > kept; piece--) {
    const file = join(folderOf(folder), String(piece));
    if (!statSync(file, { throwIfNoEntry: false })) continue;
    rmSync(file);
    log.warn("the disk is full; a part of the reserve was given back", { file });
    return true;
  }
  return false;
}

/** Call it before anything is written. */
export function releaseReserveIfFull(folder: string): void {
  if (!isDiskFull(folder, NEEDED_FOR_START)) return;
  for (let bytes = 0; bytes < NEEDED_FOR_START; bytes += PIECE_BYTES)
    if (!releasePiece(folder, KEPT_BY_STARTS)) return;
}

function isFullDisk(error: unknown): boolean {
  const explained = explainStorageFault(error);
  if (explained instanceof AppError) return explained.code === "disk_full";
  // SQLite calls some of them errors of the disk. The room of what it rolled back is free again.
  const isRefusedWrite = codesOf(error).some((code) => code.startsWith("SQLITE_IOERR"));
  return isRefusedWrite && isDiskFull(dataDir(), 2 * PIECE_BYTES);
}

/** Gives a part of the reserve back if a full disk caused the error. @returns whether it did */
export function releaseReserveOn(error: unknown, isAllowed: () => boolean): boolean {
  if (!isFullDisk(error) || !isAllowed() || !releasePiece(dataDir())) return false;
  reuseLog();
  return true;
}

/** Copies the log while there is room for pages that the file lacks, so that the next writes take the log's own room. */
function reuseLog(): void {
  try {
    rawDatabase().pragma("wal_checkpoint(PASSIVE)");
  } catch (error) {
    log.warn("the database's log can't be copied to it", { error });
  }
}

/**
 * For work that frees space, or that lets an owner do so: on a full disk it is repeated with more and more of the
 * reserve. Others, who could use it up, get none.
 * @param work rolls back when it fails; within a transaction, only the whole of it can be repeated
 */
export function withReserve<T>(actor: { role: Role } | undefined, work: () => T): T {
  if (rawDatabase().inTransaction) return work();
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!releaseReserveOn(error, () => actor?.role === "owner")) throw error;
    }
  }
}

async function makeReserve(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Some file systems compress zeros.
  const bytes = randomBytes(PIECE_BYTES);
  for (let piece = 1; piece <= PIECES; piece++) {
    const file = join(folder, String(piece));
    const size = (await stat(file).catch(() => undefined))?.size;
    if (size !== PIECE_BYTES) await writeFile(file, bytes, { mode: 0o600 });
  }
}

async function keepOnce(): Promise<void> {
  const folder = folderOf(dataDir());
  const last = statSync(join(folder, String(PIECES)), { throwIfNoEntry: false });
  if (last?.size === PIECE_BYTES || isDiskFull(dataDir(), NEEDED_FOR_RESERVE)) return;
  try {
    await makeReserve(folder);
  } catch (error) {
    log.warn("the reserve on the disk could not be made", { error });
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Makes the reserve, and makes it again once there is room. @returns a stop function */
export function keepReserve(): () => Promise<void> {
  let running = keepOnce();
  const timer = setInterval(() => {
    running = running.then(keepOnce);
  }, INTERVAL).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
