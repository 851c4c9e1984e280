import { createHash } from "node:crypto";
import { createReadStream, rmSync } from "node:fs";
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { dataDir } from "~/core/env.server";
import { AppError } from "~/core/errors";

const folder = () => join(dataDir(), "imports");
const fileOf = (id: string) => join(folder(), `${id}.json`);

/** Stores an upload until its import has ended. @returns its SHA-256 @throws AppError `invalid` for an empty file */
export async function keepUpload(id: string, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  await mkdir(folder(), { recursive: true, mode: 0o700 });
  let size = 0;
  const hash = createHash("sha256");
  try {
    const file = await open(fileOf(id), "wx", 0o600);
    try {
      for await (const chunk of bytes) {
        size += chunk.byteLength;
        hash.update(chunk);
        await file.write(chunk);
      }
    } finally {
      await file.close();
    }
    if (size === 0)
      throw new AppError("invalid", "Choose a file that isn't empty.", {
        fields: { file: ["Choose a file that isn't empty"] },
      });
    return hash.digest("hex");
  } catch (error) {
    await rm(fileOf(id), { force: true });
    throw error;
  }
}

export const readUpload = (id: string): AsyncIterable<Uint8Array> =>
  createReadStream(fileOf(id), { highWaterMark: 256 * 1024 });

/** @throws AppError `gone` if the file was deleted */
export async function sizeOfUpload(id: string): Promise<number> {
  const facts = await stat(fileOf(id)).catch(() => undefined);
  if (!facts) throw new AppError("gone", "The uploaded file was deleted. Upload it again.");
  return facts.size;
}

export function deleteUpload(id: string): void {
  rmSync(fileOf(id), { force: true });
}

/** Age at which a crashed upload is deleted, in ms. */
const ABANDONED = 24 * 60 * 60_000;

/** Deletes old uploads of imports that no longer run. */
export async function sweepUploads(running: ReadonlySet<string>): Promise<void> {
  const names = await readdir(folder()).catch(() => []);
  for (const name of names) {
    const id = name.replace(/\.json$/, "");
    const facts = running.has(id) ? undefined : await stat(fileOf(id)).catch(() => undefined);
    if (facts && Date.now() - facts.mtimeMs > ABANDONED) await rm(fileOf(id), { force: true });
  }
}
