import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Db, db, transaction } from "~/core/db.server";
import { dataDir } from "~/core/env.server";
import { newId } from "~/core/ids.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import { oldestKept } from "~/platform/jobs/schedules.service.server";
import { deleteUnsent, findReferencedBlobs } from "./attachments.repo.server";

const NAME = /^[0-9a-f]{64}$/;
const PARTIAL = ".partial";
/** Age at which a partial file counts as abandoned, in ms. */
const ABANDONED_AFTER = 60 * 60_000;

/** Digests of files with uncommitted rows, protected from cleanup. */
const pinned = new Map<string, number>();

const folder = () => join(dataDir(), "attachments");

export const blobPath = (sha: string): string => join(folder(), sha);

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export interface StoredBlob {
  sha: string;
  release(): void;
}

/** Atomic: a crash leaves the whole file or none. */
export async function storeBlob(bytes: Uint8Array): Promise<StoredBlob> {
  const sha = createHash("sha256").update(bytes).digest("hex");
  pinned.set(sha, (pinned.get(sha) ?? 0) + 1);
  const release = () => {
    const remaining = (pinned.get(sha) ?? 1) - 1;
    if (remaining > 0) pinned.set(sha, remaining);
    else pinned.delete(sha);
  };
  const partial = join(folder(), `${newId("new")}${PARTIAL}`);
  try {
    await mkdir(folder(), { recursive: true, mode: 0o700 });
    const file = await open(partial, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, blobPath(sha));
    await sync(folder());
    return { sha, release };
  } catch (error) {
    release();
    await rm(partial, { force: true });
    throw error;
  }
}

export async function readBlob(sha: string): Promise<Buffer | undefined> {
  try {
    return await readFile(blobPath(sha));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

const listFolder = (): Promise<string[]> => readdir(folder()).catch(() => []);

async function removeAbandonedUploads(): Promise<void> {
  for (const name of (await listFolder()).filter((one) => one.endsWith(PARTIAL))) {
    const path = join(folder(), name);
    const written = (await stat(path).catch(() => undefined))?.mtimeMs;
    if (written !== undefined && Date.now() - written > ABANDONED_AFTER) await rm(path, { force: true });
  }
}

/** How long an unsent upload is kept, in ms. */
const UNSENT_RETENTION = 24 * 60 * 60_000;
const BATCH = 200;

/** Deletes unreferenced files. Synchronous, so that none is stored in between. */
export function removeUnused(shas: readonly string[]): void {
  const used = findReferencedBlobs(db(), shas);
  for (const sha of shas) if (!used.has(sha) && !pinned.has(sha)) rmSync(blobPath(sha), { force: true });
}

/** Deletes unsent and interrupted uploads and orphaned files. */
export async function sweepAttachments(signal: AbortSignal): Promise<void> {
  transaction((tx) => deleteUnsent(tx, oldestKept(UNSENT_RETENTION)));
  await removeAbandonedUploads();
  const shas = (await listFolder()).filter((name) => NAME.test(name));
  for (let from = 0; from < shas.length && !signal.aborted; from += BATCH) {
    removeUnused(shas.slice(from, from + BATCH));
    await new Promise(setImmediate);
  }
}

export const attachmentSweep = declareJob({
  kind: "attachments.sweep",
  input: z.object({}),
  lane: "maintenance",
});

/** Deletes orphaned files after the transaction that deletes attachments, such as a conversation's. */
export function sweepAfterCommit(tx: Db): void {
  enqueue(tx, attachmentSweep, {}, { dedupeKey: "sweep" });
}
