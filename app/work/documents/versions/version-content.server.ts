import { createHash } from "node:crypto";
import { untilAborted } from "~/core/abort";
import { yieldToEventLoop } from "~/core/background.server";
import { type Db, db, runInBatches, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { MAX_FILE_BYTES } from "~/work/extraction/formats.shared";
import { findDocumentRow } from "../document-rows.repo.server";
import {
  countParts,
  countTexts,
  deletePart,
  deleteText,
  deleteVersion,
  findVersion,
  insertPart,
} from "./versions.repo.server";

const tooLarge = () =>
  new AppError("too_large", "The file is larger than 50 MB. Split it into smaller files.");
/** Small enough for short writes. */
const PIECE_BYTES = 256 * 1024;

/** Versions uploading in this process, excluded from sweep and purge. */
const uploading = new Set<string>();
export const isUploading = (versionId: string) => uploading.has(versionId);

/** Protects a version from the sweep during its upload. */
export async function trackUpload<T>(versionId: string, work: () => Promise<T>): Promise<T> {
  uploading.add(versionId);
  try {
    return await work();
  } finally {
    uploading.delete(versionId);
  }
}

export interface Received {
  /** In hex. */
  sha256: string;
  size: number;
}

export function* piecesOf(bytes: Uint8Array): Generator<Buffer> {
  for (let start = 0; start < bytes.byteLength; start += PIECE_BYTES)
    yield Buffer.from(
      bytes.buffer,
      bytes.byteOffset + start,
      Math.min(PIECE_BYTES, bytes.byteLength - start),
    );
}

/** Iterates until the signal aborts. @throws the signal's reason */
async function* itemsOf<T>(source: AsyncIterable<T>, signal?: AbortSignal): AsyncGenerator<T> {
  if (!signal) return yield* source;
  const items = source[Symbol.asyncIterator]();
  let ended = false;
  try {
    signal.throwIfAborted();
    for (;;) {
      const next = await untilAborted(items.next(), signal);
      ended = next.done === true;
      // Also after the last item, so that an aborted upload isn't accepted.
      signal.throwIfAborted();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: the source may never end.
    if (!ended) items.return?.().catch(() => undefined);
  }
}

/**
 * Stores bytes as they arrive, with backpressure. Existing parts of the version must have been removed.
 * @param options.onLastPart receives the write of the last bytes, to join another commit
 * @throws AppError `too_large`; the source's error; the signal's reason
 */
export async function receiveBytes(
  versionId: string,
  source: AsyncIterable<Uint8Array>,
  options: {
    tooLarge?: () => Error;
    signal?: AbortSignal | undefined;
    onLastPart?: (write: (tx: Db) => void) => void;
  },
): Promise<Received> {
  const hash = createHash("sha256");
  let size = 0;
  let position = 0;
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  const store = async (bytes: Buffer) => {
    // The later commit that marks the version as received is durable.
    transaction((tx) => insertPart(tx, { versionId, position, bytes }), { durable: false });
    position += 1;
    await yieldToEventLoop();
  };
  for await (const chunk of itemsOf(source, options.signal)) {
    size += chunk.byteLength;
    if (size > MAX_FILE_BYTES) throw options.tooLarge?.() ?? tooLarge();
    hash.update(chunk);
    pending.push(chunk);
    pendingBytes += chunk.byteLength;
    if (pendingBytes < PIECE_BYTES) continue;
    const bytes = Buffer.concat(pending);
    const wholeLength = bytes.length - (bytes.length % PIECE_BYTES);
    for (const piece of piecesOf(bytes.subarray(0, wholeLength))) await store(piece);
    // A copy, so that the rest doesn't keep the whole buffer alive.
    pending = [Buffer.from(bytes.subarray(wholeLength))];
    pendingBytes = bytes.length - wholeLength;
  }
  if (pendingBytes > 0) {
    const bytes = Buffer.concat(pending);
    if (options.onLastPart) options.onLastPart((tx) => insertPart(tx, { versionId, position, bytes }));
    else await store(bytes);
  }
  options.signal?.throwIfAborted();
  return { sha256: hash.digest("hex"), size };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

export async function removeParts(versionId: string, signal?: AbortSignal): Promise<void> {
  const count = countParts(db(), versionId);
  await runInBatches(upTo(count), (tx, position) => deletePart(tx, versionId, position), {
    signal,
    durable: false,
  });
}

export async function removeTexts(versionId: string, signal?: AbortSignal): Promise<void> {
  const count = countTexts(db(), versionId);
  await runInBatches(upTo(count), (tx, position) => deleteText(tx, versionId, position), {
    signal,
    durable: false,
  });
}

/** Removes an inactive version whose chunks are already removed. */
export async function removeVersion(versionId: string, signal?: AbortSignal): Promise<void> {
  const version = findVersion(db(), versionId);
  const document = version && findDocumentRow(db(), version.documentId);
  if (document?.versionId === versionId && document.deletedAt === null)
    throw new Error(`Version ${versionId} is current and can't be removed.`);
  await removeTexts(versionId, signal);
  await removeParts(versionId, signal);
  transaction((tx) => deleteVersion(tx, versionId));
}
