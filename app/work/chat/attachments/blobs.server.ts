import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Db, db, transaction } from "~/core/db.server";
import { dataDir } from "~/core/env.server";
import {
  eachFile,
  forgetFiles,
  PARTIAL,
  readStored,
  writeStored,
} from "~/platform/files/files.service.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import { oldestKept } from "~/platform/jobs/schedules.service.server";
import { deleteUnsent, findReferencedBlobs } from "./attachments.repo.server";

const NAME = /^[0-9a-f]{64}$/;
/** Age at which a partial file counts as abandoned, in ms. */
const ABANDONED_AFTER = 60 * 60_000;
/** How long an unsent upload is kept, in ms. */
const UNSENT_RETENTION = 24 * 60 * 60_000;
/** Files that are looked up at once. */
const BATCH = 200;

/** Digests of files with uncommitted rows, protected from cleanup. */
const pinned = new Map<string, number>();

const FOLDER = "attachments";
const folder = () => join(dataDir(), FOLDER);

/** In the data folder. */
export const storedPath = (sha: string): string => `${FOLDER}/${sha}`;

export const blobPath = (sha: string): string => join(folder(), sha);

/** A stored file, protected from cleanup until `release`. */
export interface StoredBlob {
  sha: string;
  bytes: number;
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
  try {
    await writeStored(storedPath(sha), bytes);
    return { sha, bytes: bytes.length, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** @returns undefined if it is missing @throws AppError if it is missing here and its copy can't be fetched now */
export const readBlob = (sha: string): Promise<Buffer | undefined> => readStored(storedPath(sha));

const listFolder = (): Promise<string[]> => readdir(folder()).catch(() => []);

/** Those in the folder, and those that are recorded and may have a copy alone. */
async function listBlobs(): Promise<string[]> {
  const names = new Set(await listFolder());
  for await (const { path } of eachFile(FOLDER)) names.add(path.slice(FOLDER.length + 1));
  return [...names].filter((name) => NAME.test(name));
}

async function removeAbandonedUploads(): Promise<void> {
  for (const name of (await listFolder()).filter((one) => one.endsWith(PARTIAL))) {
    const path = join(folder(), name);
    const written = (await stat(path).catch(() => undefined))?.mtimeMs;
    if (written !== undefined && Date.now() - written > ABANDONED_AFTER) await rm(path, { force: true });
  }
}

/** Deletes unreferenced files that nobody protects. Synchronous, so that none is stored in between. */
export function removeUnused(shas: readonly string[]): void {
  const used = findReferencedBlobs(db(), shas);
  const unused = shas.filter((sha) => !used.has(sha));
  if (unused.length === 0) return;
  transaction((tx) => forgetFiles(tx, unused.map(storedPath)));
  for (const sha of unused) if (!pinned.has(sha)) rmSync(blobPath(sha), { force: true });
}

/** Deletes unsent and interrupted uploads and orphaned files. */
export async function sweepAttachments(signal: AbortSignal): Promise<void> {
  transaction((tx) => deleteUnsent(tx, oldestKept(UNSENT_RETENTION)));
  await removeAbandonedUploads();
  const shas = await listBlobs();
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
