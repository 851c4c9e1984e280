import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { JsonFileError } from "./json-elements";

/** A JSON file of an upload. */
interface ExportFile {
  /** Its name in an archive; null for the upload itself. */
  name: string | null;
  read(): AsyncIterable<Uint8Array>;
}

export interface ExportFiles {
  files: readonly ExportFile[];
  /** Their size unpacked, in bytes. */
  size: number;
  close(): void;
}

/** Exports have all their pictures as files. */
const MAX_ENTRIES = 100_000;
const MAX_FILES = 1_000;
/** Unpacked size of the files that are read, in bytes. */
const MAX_UNPACKED = 2_000_000_000;
/** JSON compresses about 10:1, deflate up to 1000:1. Checked from `RATIO_FROM` bytes on. */
const MAX_RATIO = 300;
const RATIO_FROM = 20_000_000;

const ZIP = "PK\x03\x04";
/** ChatGPT splits a long history into `conversations-000.json` and so on. */
const CONVERSATIONS = /(?:^|\/)conversations(?:-\d{1,6})?\.json$/i;
/** Without what macOS adds. */
const JSON_FILE = /^(?!__MACOSX\/)(?:.*\/)?[^./][^/]*\.json$/is;

const highWaterMark = 256 * 1024;
const collator = new Intl.Collator("en", { numeric: true });

/** Archives also have accounts, feedback and projects in JSON: only without conversations by name is any file one. */
async function findFiles(zip: ZipFile): Promise<Entry[]> {
  if (zip.entryCount > MAX_ENTRIES)
    throw new JsonFileError("The archive has more than 100,000 files. Pack its JSON files alone.");
  const all: Entry[] = [];
  for await (const entry of zip.eachEntry()) if (JSON_FILE.test(entry.fileName)) all.push(entry);
  const named = all.filter(({ fileName }) => CONVERSATIONS.test(fileName));
  const found = named.length > 0 ? named : all;
  if (found.length === 0) throw new JsonFileError("The archive has no JSON files. Choose another file.");
  if (found.length > MAX_FILES)
    throw new JsonFileError("The archive has more than 1,000 JSON files. Split it into smaller archives.");
  return found.sort((a, b) => collator.compare(a.fileName, b.fileName));
}

function sizeOf(entries: readonly Entry[]): number {
  const size = entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (size > MAX_UNPACKED)
    throw new JsonFileError("The archive unpacks to more than 2 GB. Split it into smaller archives.");
  const isUnsafe = entries.some(
    ({ uncompressedSize, compressedSize }) =>
      uncompressedSize > RATIO_FROM && uncompressedSize > compressedSize * MAX_RATIO,
  );
  if (isUnsafe) throw new JsonFileError("The archive's compression ratio is unsafe. Unpack it first.");
  return size;
}

const damaged = (cause: unknown) =>
  new JsonFileError("The archive is damaged. Download it again.", { cause });

/** @throws JsonFileError if it is encrypted or damaged */
async function* unpack(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  if (entry.isEncrypted()) throw new JsonFileError("The archive is encrypted. Unpack it first.");
  try {
    // A declared size that is wrong is an error of the stream.
    yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw damaged(error);
  }
}

async function openArchive(path: string): Promise<ExportFiles> {
  const zip = await openPromise(path, {
    lazyEntries: true,
    autoClose: false,
    validateEntrySizes: true,
  }).catch((error: unknown) => {
    throw damaged(error);
  });
  try {
    const entries = await findFiles(zip);
    return {
      files: entries.map((entry) => ({ name: entry.fileName, read: () => unpack(zip, entry) })),
      size: sizeOf(entries),
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error instanceof JsonFileError ? error : damaged(error);
  }
}

async function startOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(ZIP.length) });
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * Opens an upload: a JSON file, or the ones of a ZIP archive with conversations, which are unpacked as they are read.
 * @throws JsonFileError for a damaged archive, or one beyond the limits on number, size and ratio
 */
export async function openExport(path: string): Promise<ExportFiles> {
  if ((await startOf(path)) === ZIP) return openArchive(path);
  return {
    files: [{ name: null, read: () => createReadStream(path, { highWaterMark }) }],
    size: (await stat(path)).size,
    close: () => {},
  };
}
