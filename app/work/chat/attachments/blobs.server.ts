import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { dataDir } from "~/core/env.server";
import { newId } from "~/core/ids.server";

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

/** A stored file, protected from cleanup until `release`. */
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

export const listBlobs = async (): Promise<string[]> =>
  (await listFolder()).filter((name) => NAME.test(name));

export async function removeAbandonedUploads(): Promise<void> {
  for (const name of (await listFolder()).filter((one) => one.endsWith(PARTIAL))) {
    const path = join(folder(), name);
    const written = (await stat(path).catch(() => undefined))?.mtimeMs;
    if (written !== undefined && Date.now() - written > ABANDONED_AFTER) await rm(path, { force: true });
  }
}

/** Deletes files that nobody protects. */
export function removeBlobs(shas: readonly string[]): void {
  for (const sha of shas) if (!pinned.has(sha)) rmSync(blobPath(sha), { force: true });
}
