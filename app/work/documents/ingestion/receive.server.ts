import { createHash } from "node:crypto";
import { untilAborted } from "~/core/abort";
import { yieldToEventLoop } from "~/core/background.server";
import { type Db, transaction } from "~/core/db.server";
import { insertPart } from "../versions/document-parts.repo.server";

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
 * @param options.limit maximum bytes; beyond it `tooLarge()` is thrown
 * @param options.onLastPart receives the write of the last bytes, to join another commit
 * @throws the source's error; the signal's reason
 */
export async function receiveBytes(
  versionId: string,
  source: AsyncIterable<Uint8Array>,
  options: {
    limit: number;
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
    if (size > options.limit)
      throw options.tooLarge?.() ?? new Error("The upload is larger than its declared size.");
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
