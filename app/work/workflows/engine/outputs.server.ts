import { createReadStream, existsSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { dataDir } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { clip } from "~/core/well-formed";
import type { Json } from "../steps/step-type";

/** Maximum length of an input or output in the journal, in characters of JSON; longer outputs are files. */
const MAX_INLINE_LENGTH = 256 * 1024;
/** In bytes. */
const MAX_RUN_BYTES = 20_000_000;
const HEAD = 2000;

interface Reference {
  $file: string;
  bytes: number;
  head: string;
}

const isReference = (value: unknown): value is Reference =>
  typeof value === "object" && value !== null && "$file" in value && "bytes" in value;

const folderOf = (runId: string) => join(dataDir(), "runs", runId);

/** @returns the output or a file reference @throws AppError `too_large` */
export async function storeOutput(runId: string, key: string, output: Json): Promise<unknown> {
  const json = JSON.stringify(output ?? null);
  if (json.length <= MAX_INLINE_LENGTH) return output ?? null;
  const bytes = Buffer.from(json);
  if (bytes.length > MAX_RUN_BYTES)
    throw new AppError(
      "too_large",
      `The output has ${Math.ceil(bytes.length / 1e6)} MB; at most ${MAX_RUN_BYTES / 1e6} MB are allowed. Return less data.`,
    );
  const folder = folderOf(runId);
  await mkdir(folder, { recursive: true });
  const name = `${newId("out")}.json`;
  const file = await open(join(folder, `${name}.part`), "w", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(join(folder, `${name}.part`), join(folder, name));
  return { $file: name, bytes: bytes.length, head: clip(json, HEAD), key } satisfies Reference & {
    key: string;
  };
}

/** Abbreviates a large configuration. */
export function boundInput(config: unknown): unknown {
  const json = JSON.stringify(config ?? null);
  return json.length <= MAX_INLINE_LENGTH ? (config ?? null) : { truncated: true, head: clip(json, HEAD) };
}

/** Large outputs are abbreviated. */
export function readOutput(stored: unknown): Json {
  if (!isReference(stored)) return (stored ?? null) as Json;
  return { truncated: true, bytes: stored.bytes, head: stored.head };
}

export function openOutput(runId: string, stored: unknown): Readable | undefined {
  if (!isReference(stored) || !/^out_[a-z0-9]+\.json$/.test(stored.$file)) return undefined;
  const path = join(folderOf(runId), stored.$file);
  return existsSync(path) ? createReadStream(path) : undefined;
}

export async function deleteOutputs(runIds: readonly string[]): Promise<void> {
  for (const id of runIds) await rm(folderOf(id), { recursive: true, force: true });
}
