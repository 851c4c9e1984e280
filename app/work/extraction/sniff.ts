import { decodeText, looksBinary } from "~/core/charset";
import { AppError } from "~/core/errors";
import { openCompoundFile } from "./compound-file";
import { PASSWORD_PROTECTED, type Sniffed, type SourceFile } from "./format";
import { listParts } from "./office";

const START = 4096;
const ZIP = "PK\x03\x04";

async function entriesOf(bytes: Uint8Array): Promise<Set<string>> {
  try {
    return await listParts(bytes);
  } catch (error) {
    if (error instanceof AppError) throw error;
    return new Set();
  }
}

export async function sniff({ bytes, contentType }: SourceFile): Promise<Sniffed> {
  const head = bytes.subarray(0, START);
  const latin = Buffer.from(head).toString("latin1");
  const isText = !looksBinary(bytes);
  return {
    isText,
    start: isText ? decodeText(head, contentType) : latin,
    entries: latin.startsWith(ZIP) ? await entriesOf(bytes) : new Set(),
    streams: openCompoundFile(bytes)?.names,
  };
}

const ARCHIVE = "This is an archive. Unpack it and upload the files.";
const IMAGE = "This is an image. Text recognition isn't supported.";
const MEDIA = "This is an audio or video file. Add a transcript as text.";

/** By the first bytes of a binary file. */
const STARTS: readonly [readonly string[], string][] = [
  [["\x1f\x8b", "7z\xbc\xaf", "Rar!", "\xfd7zXZ", "BZh", "\x28\xb5\x2f\xfd"], ARCHIVE],
  [["\x89PNG", "\xff\xd8\xff", "GIF8", "II*\0", "MM\0*", "BM", "\0\0\x01\0"], IMAGE],
  [["ID3", "OggS", "fLaC", "\x1aE\xdf\xa3"], MEDIA],
];
const BINARY_EXCEL = "This is a binary Excel file (.xlsb). Save it as .xlsx and try again.";
const OLD_OFFICE = "This file type isn't supported. Save it as PDF or .docx and try again.";

/** Why a file that isn't of a supported format can't be read; undefined if it may be text. */
export function refusalOf({ start, isText, entries, streams }: Sniffed): string | undefined {
  // A newer Office file with a password is within an old one.
  if (streams) return streams.has("EncryptedPackage") ? PASSWORD_PROTECTED : OLD_OFFICE;
  if (entries.size > 0) return entries.has("xl/workbook.bin") ? BINARY_EXCEL : undefined;
  if (isText) return undefined;
  if (/^RIFF[\s\S]{4}WEBP|^[\s\S]{4}ftyp(?:avif|heic|mif1)/.test(start)) return IMAGE;
  if (/^RIFF|^[\s\S]{4}ftyp/.test(start)) return MEDIA;
  return STARTS.find(([starts]) => starts.some((item) => start.startsWith(item)))?.[1];
}
