import { stat } from "node:fs/promises";
import { join } from "node:path";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { DAY, HOUR, MINUTE, SECOND } from "~/core/durations";
import { dataDir } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { kept } from "~/core/process.server";
import { explainStorageFault } from "~/core/storage-faults.server";
import { defineJob, type JobKind, Postponed } from "~/platform/jobs/job-kind.service.server";
import {
  deleteFile,
  type FileRow,
  findFile,
  listExpired,
  listSharing,
  listUncopied,
  listUnseen,
  updateFile,
} from "./files.repo.server";
import { copyFiles, eachFile, fetchBack, readLocal, recordPass } from "./files.service.server";
import { type ObjectStore, objectStore, sha256 } from "./object-store.server";

/** Longer than a replica or backups usually reach back: an older state of the database may need the copies. */
const GRACE = 30 * DAY;
const CHECK_EVERY = DAY;
/** Copies that a check asks for, the longest unseen first. */
const CHECKED = 1000;
const BATCH = 50;
/** After the last failure in a row, in ms. */
const PAUSES = [5 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE];
/** After which other maintenance goes first, in ms. */
const TURN = 5 * MINUTE;

const progress = () => kept("passes of files", () => ({ checkedAt: 0, failures: 0 }));

/** What a loss of power undoes is done again. */
const mark = (path: string, change: Parameters<typeof updateFile>[2]) =>
  transaction((tx) => updateFile(tx, path, { ...change, changedAt: now() }), { durable: false });

async function copyFile(store: ObjectStore, row: FileRow, signal: AbortSignal): Promise<void> {
  const bytes = await readLocal(row.path);
  if (!bytes) {
    const isThere = row.sha !== null && (await store.has(row.sha, signal));
    return mark(row.path, { state: isThere ? "copied" : "missing" });
  }
  const sha = await sha256(bytes);
  // First, so that a copy of what is removed meanwhile is deleted.
  mark(row.path, { state: "sending", sha, bytes: bytes.length });
  if (!(await store.has(sha, signal))) await store.put(sha, bytes, signal);
  mark(row.path, { state: "copied" });
}

async function deleteCopy(store: ObjectStore, row: FileRow, signal: AbortSignal): Promise<void> {
  if (row.sha !== null && listSharing(db(), row).length === 0) await store.remove(row.sha, signal);
  transaction((tx) => {
    // Named again while its copy was deleted.
    for (const again of [findFile(tx, row.path), ...listSharing(tx, row)])
      if (again && again.removedAt === null)
        updateFile(tx, again.path, { state: "waiting", changedAt: now() });
    if (findFile(tx, row.path)?.removedAt !== null) deleteFile(tx, row.path);
  });
}

/** Brings missing files back, and asks for copies that weren't seen for a day. */
async function check(store: ObjectStore, signal: AbortSignal): Promise<void> {
  for await (const row of eachFile()) {
    signal.throwIfAborted();
    const isHere = (await stat(join(dataDir(), row.path)).catch(() => undefined)) !== undefined;
    if (isHere && row.state === "missing") mark(row.path, { state: "waiting" });
    if (!isHere && row.state !== "missing" && !(await fetchBack(row, signal)))
      mark(row.path, { state: "missing" });
  }
  for (const { path, sha } of listUnseen(db(), now() - CHECK_EVERY, CHECKED))
    mark(path, { state: sha !== null && (await store.has(sha, signal)) ? "copied" : "waiting" });
}

async function pass(store: ObjectStore, signal: AbortSignal): Promise<void> {
  const until = now() + TURN;
  const end = () => {
    signal.throwIfAborted();
    if (now() > until) throw new Postponed(SECOND);
  };
  for (;;) {
    const rows = listUncopied(db(), BATCH);
    if (rows.length === 0) break;
    for (const row of rows) {
      end();
      await copyFile(store, row, signal);
    }
  }
  for (const row of listExpired(db(), now() - GRACE, CHECKED)) {
    end();
    await deleteCopy(store, row, signal);
  }
  const at = now();
  if (Math.abs(at - progress().checkedAt) > CHECK_EVERY) {
    await check(store, signal);
    progress().checkedAt = at;
  }
}

const copyJob = defineJob({
  ...copyFiles,
  title: "Copy files to their second place",
  concurrency: 1,
  timeoutMs: HOUR,
  keepMs: 10 * MINUTE,
  // A fallback: what names a file queues it.
  schedule: { everyMs: MINUTE, atStart: true, input: {} },
  async run({ signal, succeed }) {
    const store = objectStore();
    if (!store) return;
    try {
      do await pass(store, signal);
      while (
        // Decided in one transaction: a file that is named now queues the job again.
        !transaction((tx) => listUncopied(tx, 1).length === 0 && (succeed(tx) || true))
      );
      progress().failures = 0;
      recordPass(null);
    } catch (error) {
      if (error instanceof Postponed) {
        recordPass(null);
        throw error;
      }
      if (signal.aborted) throw error;
      const explained = explainStorageFault(error);
      log.error("files could not be copied", { error: explained });
      recordPass(explained instanceof AppError ? explained.message : "Files could not be copied.");
      throw new Postponed(PAUSES[Math.min(progress().failures++, PAUSES.length - 1)] ?? MINUTE);
    }
  },
});

export const fileJobs: readonly JobKind[] = [copyJob];
