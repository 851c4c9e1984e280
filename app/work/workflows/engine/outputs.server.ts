import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { dataDir } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { clip, parseWellFormed } from "~/core/well-formed";
import type { Json } from "../steps/step-type";

/** Maximum length of an input or output in the journal, in characters of JSON; longer outputs are files. */
const MAX_INLINE_LENGTH = 256 * 1024;
/** In bytes. */
const MAX_RUN_BYTES = 20_000_000;
const HEAD = 2000;
const GONE = "The run's output is no longer stored. Run the workflow again.";

interface Reference {
  $file: string;
  /** The step's. */
  key: string;
  bytes: number;
  head: string;
}

const isReference = (value: unknown): value is Reference =>
  typeof value === "object" && value !== null && "$file" in value && "bytes" in value;

const folderOf = (runId: string) => join(dataDir(), "runs", runId);

/** @returns the output or a file reference @throws AppError `too_large` */
export async function storeOutput(runId: string, key: string, output: Json): Promise<unknown> {
  const json = JSON.stringify(output ?? null);
  // A value that looks like a reference would be taken for one.
  if (json.length <= MAX_INLINE_LENGTH && !isReference(output)) return output ?? null;
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
  return { $file: name, key, bytes: bytes.length, head: clip(json, HEAD) } satisfies Reference;
}

/** Abbreviates a large configuration. */
export function boundInput(config: unknown): unknown {
  const json = JSON.stringify(config ?? null);
  return json.length <= MAX_INLINE_LENGTH ? (config ?? null) : { truncated: true, head: clip(json, HEAD) };
}

/** Of a large output: its size, its beginning, and `url`, the address of the whole. */
export function readOutput(runId: string, stored: unknown): Json {
  if (!isReference(stored)) return (stored ?? null) as Json;
  const { key, bytes, head } = stored;
  return { truncated: true, bytes, url: `/api/runs/${runId}/steps/${encodeURIComponent(key)}/output`, head };
}

export function openOutput(runId: string, stored: unknown): Readable | undefined {
  if (!isReference(stored) || !/^out_[a-z0-9]+\.json$/.test(stored.$file)) return undefined;
  const path = join(folderOf(runId), stored.$file);
  return existsSync(path) ? createReadStream(path) : undefined;
}

/** The whole output. @throws AppError `not_found` if its file is gone */
export async function loadOutput(runId: string, stored: unknown): Promise<Json> {
  if (!isReference(stored)) return (stored ?? null) as Json;
  const file = openOutput(runId, stored);
  if (!file) throw new AppError("not_found", GONE);
  return parseWellFormed(await text(file)) as Json;
}

/** For a run that takes over outputs of another one. @throws AppError `not_found` if a file is gone */
export async function copyOutputs(fromRun: string, toRun: string, stored: readonly unknown[]): Promise<void> {
  for (const output of stored) {
    const file = openOutput(fromRun, output);
    if (!isReference(output)) continue;
    if (!file) throw new AppError("not_found", GONE);
    await mkdir(folderOf(toRun), { recursive: true });
    await pipeline(
      file,
      createWriteStream(join(folderOf(toRun), output.$file), { mode: 0o600, flush: true }),
    );
  }
}

export async function deleteOutputs(runIds: readonly string[]): Promise<void> {
  for (const id of runIds) await rm(folderOf(id), { recursive: true, force: true });
}
