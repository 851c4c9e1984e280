import { decodeText, looksBinary } from "~/core/charset";
import { AppError } from "~/core/errors";
import type { Sniffed, SourceFile } from "./format";
import { listParts } from "./office/zip";

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
    bytes,
    isText,
    start: isText ? decodeText(head, contentType) : latin,
    entries: latin.startsWith(ZIP) ? await entriesOf(bytes) : new Set(),
  };
}
