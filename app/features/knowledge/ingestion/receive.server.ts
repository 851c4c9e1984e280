import { createHash } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { type Db, transaction } from "~/core/db.server";
import { insertPart } from "../documents/versions/document-parts.repo.server";

/** Of one piece of a version's bytes: it is written between two requests without delaying them. */
const PIECE = 256 * 1024;

/** Versions whose upload runs in this process, so that sweep and purge leave them alone. */
const uploading = new Set<string>();
export const isUploading = (versionId: string) => uploading.has(versionId);

/** Keeps a version from the sweep while its bytes come and are put down as complete. */
export async function asUpload<T>(versionId: string, work: () => Promise<T>): Promise<T> {
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

/** Bytes cut into the pieces they are stored in, without a copy. */
export function* piecesOf(bytes: Uint8Array): Generator<Buffer> {
  for (let start = 0; start < bytes.byteLength; start += PIECE)
    yield Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(PIECE, bytes.byteLength - start));
}

/** What comes until the signal ends it: at once, also while nothing comes. @throws the signal's reason */
async function* untilAborted<T>(source: AsyncIterable<T>, signal?: AbortSignal): AsyncGenerator<T> {
  if (!signal) return yield* source;
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  // Without someone who waits for it, it would count as an error that no one handles.
  aborted.catch(() => undefined);
  const items = source[Symbol.asyncIterator]();
  let ended = false;
  try {
    signal.throwIfAborted();
    for (;;) {
      const next = await Promise.race([items.next(), aborted]);
      ended = next.done === true;
      // Looked at behind the last one, too: what has come whole by then must not be taken either.
      signal.throwIfAborted();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", abort);
    // Not waited for: who is to end may itself wait for what never comes.
    if (!ended) items.return?.().catch(() => undefined);
  }
}

/**
 * Stores bytes as they come, each piece written before the next one is asked for: a fast sender waits for the disk.
 * What is there of the version already must have been removed.
 *
 * @param options.limit beyond it `tooLarge()` is thrown
 * @param options.onRest gets the write of the last bytes, which then needs no commit of its own
 * @throws what the source throws, the signal's reason
 */
export async function receiveBytes(
  versionId: string,
  source: AsyncIterable<Uint8Array>,
  options: {
    limit: number;
    tooLarge?: () => Error;
    signal?: AbortSignal | undefined;
    onRest?: (write: (tx: Db) => void) => void;
  },
): Promise<Received> {
  const hash = createHash("sha256");
  let size = 0;
  let position = 0;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const store = async (bytes: Buffer) => {
    // What puts the version down as received is durable, and with it all that came before.
    transaction((tx) => insertPart(tx, { versionId, position, bytes }), { durable: false });
    position += 1;
    await turn();
  };
  for await (const chunk of untilAborted(source, options.signal)) {
    size += chunk.byteLength;
    if (size > options.limit) throw options.tooLarge?.() ?? new Error("The upload is larger than announced.");
    hash.update(chunk);
    held.push(chunk);
    heldBytes += chunk.byteLength;
    if (heldBytes < PIECE) continue;
    const bytes = Buffer.concat(held);
    const whole = bytes.length - (bytes.length % PIECE);
    for (const piece of piecesOf(bytes.subarray(0, whole))) await store(piece);
    // A copy: the rest mustn't keep the whole alive.
    held = [Buffer.from(bytes.subarray(whole))];
    heldBytes = bytes.length - whole;
  }
  if (heldBytes > 0) {
    const bytes = Buffer.concat(held);
    if (options.onRest) options.onRest((tx) => insertPart(tx, { versionId, position, bytes }));
    else await store(bytes);
  }
  options.signal?.throwIfAborted();
  return { sha256: hash.digest("hex"), size };
}
