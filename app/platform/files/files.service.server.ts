import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { now } from "~/core/clock.server";
import { type Db, db } from "~/core/db.server";
import { MINUTE } from "~/core/durations";
import { dataDir } from "~/core/env.server";
import { newId } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { kept } from "~/core/process.server";
import { recordCopyProblem } from "~/core/storage-faults.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import {
  countMissing,
  type FileRow,
  findFile,
  forgetCopies,
  listFiles,
  measureUncopied,
  type NewFile,
  putFile,
  removeFiles,
  removeFolder,
} from "./files.repo.server";
import { objectStore } from "./object-store.server";

// Files lie in folders of the data folder, since SQLite is the wrong place for them (decision 37). Each is recorded in the
// transaction that names it; with FILES_S3 a job copies it to a second place, from which a missing one comes back.

/** Of a file whose size isn't known yet, in bytes. */
const MAX_BYTES = 64_000_000;
const BEHIND_AFTER = 5 * MINUTE;

export const PARTIAL = ".partial";

/** Also what the schedule of the job uses: one waits at a time. */
export const copyFiles = declareJob({ kind: "files.copy", input: z.object({}), lane: "maintenance" });

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Atomic and synced: a crash leaves the whole file or none. @param path in the data folder */
export async function writeStored(path: string, bytes: Uint8Array): Promise<void> {
  const target = join(dataDir(), path);
  const folder = dirname(target);
  const partial = join(folder, `${newId("new")}${PARTIAL}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await open(partial, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, target);
    await sync(folder);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

export async function readLocal(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(join(dataDir(), path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

const fetching = () => kept("fetched files", () => new Map<string, Promise<Buffer | undefined>>());

/** Brings a file back from its copy. @throws AppError if the place doesn't answer */
export function fetchBack({ path, sha, bytes }: FileRow, signal: AbortSignal): Promise<Buffer | undefined> {
  const store = objectStore();
  if (!store || sha === null) return Promise.resolve(undefined);
  const running = fetching().get(path);
  if (running) return running;
  const work = async () => {
    const copy = await store.get(sha, bytes ?? MAX_BYTES, signal);
    if (copy) await writeStored(path, copy);
    else log.error("a file and its copy are missing", { file: path });
    return copy;
  };
  const fetched = work().finally(() => fetching().delete(path));
  fetching().set(path, fetched);
  return fetched;
}

/**
 * Reads a stored file, from its copy if it is missing here.
 * @returns undefined if it is in neither place @throws AppError if the second place doesn't answer
 */
export async function readStored(path: string): Promise<Buffer | undefined> {
  const local = await readLocal(path);
  if (local) return local;
  const row = findFile(db(), path);
  // Its readers share one request, which none of them may break off.
  return row && fetchBack(row, new AbortController().signal);
}

/** Records a file in the transaction that names it. */
export function recordFile(tx: Db, file: NewFile): void {
  putFile(tx, file, now());
  if (objectStore()) enqueue(tx, copyFiles, {}, { dedupeKey: `schedule:${copyFiles.kind}` });
}

/** Records that nothing names these files any more. */
export const forgetFiles = (tx: Db, paths: readonly string[]): void => removeFiles(tx, paths, now());
export const forgetFolder = (tx: Db, folder: string): void => removeFolder(tx, folder, now());

/** After a restore: the copies are looked for again. */
export const recheckCopies = (tx: Db): void => forgetCopies(tx, now());

const PAGE = 500;

/** All files of a folder that something names, or of all folders, a page per turn of the event loop. */
export async function* eachFile(folder = ""): AsyncGenerator<FileRow> {
  for (let after = ""; ; ) {
    const page = listFiles(db(), folder, after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = last.path;
    await new Promise(setImmediate);
  }
}

interface Passes {
  lastSuccessAt: number | null;
  error: string | null;
}

const passes = () => kept("copies of files", (): Passes => ({ lastSuccessAt: null, error: null }));

export interface FileCopies {
  /** `failing`: the last attempt failed. `behind`: a file has waited for five minutes. */
  state: "ok" | "behind" | "failing";
  place: string;
  waiting: number;
  /** In neither place. */
  missing: number;
  /** How long the first waiting file has waited, in ms. */
  lagMs: number;
  /** Since the start of the console, in ms since the epoch. */
  lastSuccessAt: number | null;
  error: string | null;
}

/** How far the copies are; undefined without FILES_S3. */
export function readFileCopies(): FileCopies | undefined {
  const store = objectStore();
  if (!store) return undefined;
  const { count, since } = measureUncopied(db());
  const lagMs = since === null ? 0 : Math.max(0, now() - since);
  const { error, lastSuccessAt } = passes();
  const state = error !== null ? "failing" : lagMs > BEHIND_AFTER ? "behind" : "ok";
  const missing = countMissing(db());
  return { state, place: store.place, waiting: count, missing, lagMs, lastSuccessAt, error };
}

/** Records how a pass ended, for System and the console's health. */
export function recordPass(error: string | null): void {
  const before = passes();
  before.error = error;
  if (error === null) before.lastSuccessAt = now();
  const copies = readFileCopies();
  const waiting = copies && `${copies.waiting} ${copies.waiting === 1 ? "file waits" : "files wait"}`;
  recordCopyProblem(
    !copies || copies.state === "ok"
      ? undefined
      : `${copies.error ?? "Copies to the second place of files are late."} ${waiting}.`,
  );
}

/** Whether a copy of the file is in the second place, for a drill. */
export async function hasCopy({ sha }: FileRow, signal: AbortSignal): Promise<boolean> {
  return sha !== null && ((await objectStore()?.has(sha, signal)) ?? false);
}
