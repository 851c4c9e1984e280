import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Db } from "~/core/db.server";
import { dataDir } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { clip } from "~/core/well-formed";
import { forgetFolder, readStored, recordFile, writeStored } from "~/platform/files/files.service.server";
import type { Json } from "../steps/step-type";

/** Maximum length of an input or output in the journal, in characters of JSON; longer outputs are files. */
const MAX_INLINE_LENGTH = 256 * 1024;
/** In bytes. */
const MAX_RUN_BYTES = 20_000_000;

const tooLarge = (what: string, bytes: number) =>
  new AppError(
    "too_large",
    `${what} ${Math.ceil(bytes / 1e6)} MB; at most ${MAX_RUN_BYTES / 1e6} MB are allowed. Return less data.`,
  );

/** Sums up the outputs of a loop's rounds. @returns the error once they are too large together */
export function roundsLimit(): (output: Json) => AppError | undefined {
  let bytes = 0;
  return (output) => {
    bytes += JSON.stringify(output ?? null).length;
    return bytes > MAX_RUN_BYTES ? tooLarge("The outputs of the rounds have", bytes) : undefined;
  };
}

const HEAD = 2000;
interface Reference {
  $file: string;
  /** The step's. */
  key: string;
  bytes: number;
  head: string;
}

const isReference = (value: unknown): value is Reference =>
  typeof value === "object" && value !== null && "$file" in value && "bytes" in value;

const FOLDER = "runs";
const storedPath = (runId: string, name: string) => `${FOLDER}/${runId}/${name}`;

/** @returns the output or a file reference @throws AppError `too_large` */
export async function storeOutput(runId: string, key: string, output: Json): Promise<unknown> {
  const json = JSON.stringify(output ?? null);
  // A value that looks like a reference would be taken for one.
  if (json.length <= MAX_INLINE_LENGTH && !isReference(output)) return output ?? null;
  const bytes = Buffer.from(json);
  if (bytes.length > MAX_RUN_BYTES) throw tooLarge("The output has", bytes.length);
  return await storeFile(runId, { key, bytes, head: clip(json, HEAD) });
}

/** @returns its reference */
async function storeFile(
  runId: string,
  { key, bytes, head }: Pick<Reference, "key" | "head"> & { bytes: Uint8Array },
): Promise<Reference> {
  const name = `${newId("out")}.json`;
  await writeStored(storedPath(runId, name), bytes);
  return { $file: name, key, bytes: bytes.length, head };
}

/** An output of another run as one of a step's. @throws AppError `not_found` if its file is gone */
export async function copyOutput(
  from: { runId: string; output: unknown },
  to: { runId: string; key: string },
): Promise<unknown> {
  if (!isReference(from.output)) return from.output ?? null;
  const bytes = await readJson(from.runId, from.output);
  return await storeFile(to.runId, { key: to.key, bytes, head: from.output.head });
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

const pathOf = (runId: string, stored: unknown): string | undefined =>
  isReference(stored) && /^out_[a-z0-9]+\.json$/.test(stored.$file)
    ? storedPath(runId, stored.$file)
    : undefined;

/** Whether an output is a file, of which a row has the beginning. */
export const isStoredOutput = (runId: string, stored: unknown): boolean =>
  pathOf(runId, stored) !== undefined;

/** @returns undefined if it is no file, or the file is gone @throws AppError if its copy can't be fetched now */
export async function openOutput(runId: string, stored: unknown): Promise<Buffer | undefined> {
  const path = pathOf(runId, stored);
  return path === undefined ? undefined : readStored(path);
}

/** Records the file of an output in the transaction that stores its reference. */
export function recordOutput(tx: Db, runId: string, stored: unknown): void {
  const path = pathOf(runId, stored);
  if (path !== undefined && isReference(stored)) recordFile(tx, { path, sha: null, bytes: stored.bytes });
}

/**
 * The JSON of the whole output, which is too large to be parsed here.
 * @throws AppError `not_found` if its file is gone; as `openOutput`
 */
export async function readJson(runId: string, stored: unknown): Promise<Buffer> {
  if (!isReference(stored)) return Buffer.from(JSON.stringify(stored ?? null));
  const file = await openOutput(runId, stored);
  if (!file) throw new AppError("not_found", "The run's output is no longer stored. Run the workflow again.");
  return file;
}

/** Forgets the outputs' files in the transaction that deletes their runs. */
export function forgetOutputs(tx: Db, runIds: readonly string[]): void {
  for (const id of runIds) forgetFolder(tx, `${FOLDER}/${id}`);
}

/** The files of outputs that a run takes over from another one. @throws AppError `not_found` if one is gone */
export async function copyOutputs(fromRun: string, toRun: string, stored: readonly unknown[]): Promise<void> {
  for (const output of stored)
    if (isReference(output))
      await writeStored(storedPath(toRun, output.$file), await readJson(fromRun, output));
}

export async function deleteOutputs(runIds: readonly string[]): Promise<void> {
  for (const id of runIds) await rm(join(dataDir(), FOLDER, id), { recursive: true, force: true });
}
