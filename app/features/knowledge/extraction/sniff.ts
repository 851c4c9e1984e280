import { decodeText, looksBinary } from "~/core/charset";
import { AppError } from "~/core/errors";
import type { Sniffed, SourceFile } from "./format";

const START = 4096;

/**
 * What the content of a file tells.
 *
 * @throws AppError `invalid` for what is no document, such as a picture
 */
export function sniff({ bytes, contentType }: SourceFile): Sniffed {
  if (looksBinary(bytes)) throw new AppError("invalid", "This is not text but binary data.");
  return { text: true, start: decodeText(bytes.subarray(0, START), contentType), entries: new Set() };
}
