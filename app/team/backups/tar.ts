import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { extract, pack } from "tar-stream";
import { AppError } from "~/core/errors";

export interface TarFile {
  name: string;
  size: number;
  bytes: AsyncIterable<Uint8Array>;
}

export const damagedError = (cause?: unknown) =>
  new AppError("unprocessable", "The backup is damaged: its archive is incomplete or was changed.", {
    cause,
  });

/**
 * Files as a tar archive, with no owner and readable by their owner alone.
 * @param mtime of all files
 * @throws Error if a file has another size than it said
 */
export function writeTar(files: AsyncIterable<TarFile>, mtime: Date): AsyncIterable<Uint8Array> {
  const archive = pack();
  const write = async () => {
    for await (const { name, size, bytes } of files)
      await pipeline(Readable.from(bytes), archive.entry({ name, size, mode: 0o600, mtime }));
    archive.finalize();
  };
  write().catch((error: Error) => archive.destroy(error));
  return archive as AsyncIterable<Uint8Array>;
}

const BLOCK = 512;
/** What may come beside the files: the end's zeros, and what is read ahead, in bytes. */
const MAX_BESIDE = 4 << 20;

/**
 * Files of a tar archive in order; unread bytes are skipped.
 * @throws AppError `unprocessable` for anything but plain files, and for an archive that is truncated or goes on after its end
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const archive = extract();
  let left = MAX_BESIDE;
  const bounded = async function* () {
    for await (const chunk of chunks) {
      left -= chunk.byteLength;
      if (left < 0) throw damagedError();
      yield chunk;
    }
  };
  const read = pipeline(bounded, archive);
  // It rejects what is being iterated below.
  read.catch(() => undefined);
  for await (const entry of archive) {
    const { name, size, type } = entry.header;
    if (type !== "file" || size === undefined) throw damagedError();
    // With its header and padding.
    left += size + 2 * BLOCK;
    yield { name, size, bytes: entry as AsyncIterable<Uint8Array> };
    entry.resume();
  }
  await read;
}
