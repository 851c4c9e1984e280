import { isUtf8 as isUtf8Text } from "node:buffer";
import { buffer } from "node:stream/consumers";
import { decode } from "iconv-lite";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { AppError } from "~/core/errors";
import { DocumentBuilder } from "../document-builder";
import type { DocumentFormat, InnerFile, SourceFile } from "../format";
import { MAX_FILE_BYTES } from "../formats.shared";
import { refusalOf } from "../sniff";

/** Unpacked size of all files, in bytes. */
const MAX_UNPACKED = 200_000_000;
export const MAX_INNER_FILES = 1000;
/** Paths of the listing. */
const MAX_LISTED = 200;

/** Of an archive, and of an empty one. */
const STARTS = ["PK\x03\x04", "PK\x05\x06"];
const UTF8_FLAG = 0x800;

async function open({ bytes }: SourceFile): Promise<ZipFile> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Names stay bytes: those of an attack are mended, not refused, and old programs don't say their charset.
  return fromBufferPromise(source, { lazyEntries: true, validateEntrySizes: true, decodeStrings: false });
}

/** Names are in UTF-8, also where that isn't marked, or in the code page of DOS (APPNOTE, appendix D). */
function pathOf({ fileNameRaw, generalPurposeBitFlag }: Entry): string {
  const isUtf8 = (generalPurposeBitFlag & UTF8_FLAG) !== 0 || isUtf8Text(fileNameRaw);
  return isUtf8 ? fileNameRaw.toString("utf8") : decode(fileNameRaw, "cp437");
}

/** Files of an archive. @throws AppError `invalid` beyond the limits on number and declared sizes */
async function listEntries(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = [];
  let size = 0;
  for await (const entry of zip.eachEntry()) {
    if (/[/\\]$/.test(entry.fileNameRaw.toString("latin1"))) continue;
    size += entry.uncompressedSize;
    entries.push(entry);
    if (entries.length > MAX_INNER_FILES)
      throw tooMuch(`has more than ${MAX_INNER_FILES.toLocaleString("en")} files`);
    if (size > MAX_UNPACKED) throw tooMuch(`unpacks to more than ${MAX_UNPACKED / 1_000_000} MB`);
  }
  return entries;
}

const tooMuch = (what: string) =>
  new AppError("invalid", `This archive ${what}. Split it into smaller archives.`);

async function unpack(zip: ZipFile, entry: Entry): Promise<InnerFile> {
  const name = pathOf(entry);
  const without = (problem: string): InnerFile => ({
    name,
    contentType: "",
    bytes: new Uint8Array(),
    problem,
  });
  if (entry.isEncrypted()) return without("it is encrypted");
  if (entry.uncompressedSize > MAX_FILE_BYTES) return without("it is larger than 50 MB");
  try {
    // The sizes are checked while it is unpacked: a forged one is an error.
    return { name, contentType: "", bytes: await buffer(await zip.openReadStreamPromise(entry)) };
  } catch {
    return without("it is damaged, or compressed in an unusual way");
  }
}

async function* filesOf(file: SourceFile): AsyncGenerator<InnerFile> {
  const zip = await open(file);
  for (const entry of await listEntries(zip)) yield await unpack(zip, entry);
}

export const zip: DocumentFormat = {
  label: "ZIP",
  endings: [".zip"],
  types: ["application/zip", "application/x-zip-compressed"],
  isText: false,
  isFolder: true,
  recognizes: (content) =>
    STARTS.some((start) => content.start.startsWith(start)) && refusalOf(content) === undefined,
  async read(file) {
    const paths = (await listEntries(await open(file))).map(pathOf);
    const more = paths.length > MAX_LISTED ? [`${paths.length - MAX_LISTED} others`] : [];
    const builder = new DocumentBuilder();
    builder.add("list", [...paths.slice(0, MAX_LISTED), ...more].map((path) => `- ${path}`).join("\n"));
    if (builder.isEmpty) builder.note("This archive has no files.");
    return builder.finish("", { format: this.label, files: paths.length, isFolder: true });
  },
  innerFiles: filesOf,
};
