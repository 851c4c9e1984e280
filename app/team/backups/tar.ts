import { AppError } from "~/core/errors";

/** Sizes in the ustar format (POSIX.1-1988), in bytes. */
const BLOCK = 512;
const NAME_LENGTH = 100;
/** What may follow the end of an archive: tar fills its last record of 20 blocks. */
const MAX_REST = 20 * BLOCK;

export interface TarFile {
  name: string;
  size: number;
  bytes: AsyncIterable<Uint8Array>;
}

export const damagedError = (cause?: unknown) =>
  new AppError("unprocessable", "The backup is damaged: its archive is incomplete or was changed.", {
    cause,
  });

const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, "0")}\0`;

/** Above 8 GB a size is binary with its first bit set, as in GNU tar. */
function sizeField(size: number): Buffer {
  const field = Buffer.alloc(12);
  if (size < 8 ** 11) field.write(octal(size, 12), "latin1");
  else {
    field.writeUInt8(0x80, 0);
    field.writeBigUInt64BE(BigInt(size), 4);
  }
  return field;
}

function checksumOf(header: Buffer): number {
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte;
  return sum;
}

/** The header of a file. @param mtime in seconds since the epoch */
function tarHeader(name: string, size: number, mtime: number): Buffer {
  if (Buffer.byteLength(name) > NAME_LENGTH) throw new Error(`The name ${name} is too long for an archive.`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, "utf8");
  header.write(octal(0o600, 8), 100, "latin1");
  header.write(octal(0, 8), 108, "latin1");
  header.write(octal(0, 8), 116, "latin1");
  sizeField(size).copy(header, 124);
  header.write(octal(mtime, 12), 136, "latin1");
  header.write("0", 156, "latin1");
  header.write("ustar\x0000", 257, "latin1");
  header.write(`${checksumOf(header).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

const padding = (size: number) => (BLOCK - (size % BLOCK)) % BLOCK;

export async function* writeTar(
  files: AsyncIterable<TarFile> | Iterable<TarFile>,
  mtime: number,
): AsyncGenerator<Uint8Array> {
  for await (const { name, size, bytes } of files) {
    yield tarHeader(name, size, mtime);
    let written = 0;
    for await (const chunk of bytes) {
      written += chunk.byteLength;
      yield chunk;
    }
    if (written !== size) throw new Error(`${name} changed while it was archived.`);
    yield Buffer.alloc(padding(size));
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** Reads a number of bytes from chunks of any length. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async *take(length: number): AsyncGenerator<Buffer> {
    let remaining = length;
    while (remaining > 0) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next();
        if (next.done) throw damagedError();
        this.#rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
      }
      const piece = this.#rest.subarray(0, remaining);
      this.#rest = this.#rest.subarray(piece.length);
      remaining -= piece.length;
      yield piece;
    }
  }

  async read(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.take(length)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Reads to the end of the chunks, where their own checksum stands. */
  async finish(): Promise<void> {
    let length = this.#rest.length;
    for (;;) {
      if (length > MAX_REST) throw damagedError();
      const next = await this.#chunks.next();
      if (next.done) return;
      length += next.value.byteLength;
    }
  }
}

function readSize(field: Buffer): number {
  if ((field[0] ?? 0) & 0x80) return Number(field.readBigUInt64BE(4));
  const text = field.toString("latin1").replaceAll(/[\0 ]/g, "");
  if (!/^[0-7]+$/.test(text)) throw damagedError();
  return Number.parseInt(text, 8);
}

function readName(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end < 0 ? field.length : end);
}

/**
 * Files of a tar archive in order; unread bytes are skipped.
 * @throws AppError `unprocessable` for anything but plain files, and for a truncated archive
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const reader = new ByteReader(chunks);
  for (;;) {
    const header = await reader.read(BLOCK);
    if (header.every((byte) => byte === 0)) return reader.finish();
    const sum = Number.parseInt(header.toString("latin1", 148, 154), 8);
    if (sum !== checksumOf(header) || header.toString("latin1", 156, 157) !== "0") throw damagedError();
    const size = readSize(header.subarray(124, 136));
    if (!Number.isSafeInteger(size)) throw damagedError();
    const bytes = reader.take(size);
    yield { name: readName(header.subarray(0, NAME_LENGTH)), size, bytes };
    for await (const _ of bytes);
    await reader.read(padding(size));
  }
}
