import { decodeText } from "~/core/charset";
import { EXTRACTED_BYTES, type ExtractInput, type ExtractOutput } from "~/core/extraction";
import { readPage } from "./page-text";

const TEXT_TYPE =
  /^(?:text\/|application\/(?:.+\+)?(?:json|xml|yaml|x-yaml|javascript|ecmascript|x-ndjson|toml|sql|x-sh)$|message\/|image\/svg\+xml$)/;

function isHtml(type: string, text: string): boolean {
  if (type === "text/html" || type === "application/xhtml+xml") return true;
  return (type === "" || type === "text/plain") && /^\s{0,99}<(?:!doctype html|html)[\s>]/i.test(text);
}

/** Bytes that no text has, near the start; UTF-16 has zeros too, but a byte order mark before them. */
function looksBinary(bytes: Uint8Array): boolean {
  const marked = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return !marked && bytes.subarray(0, 4096).includes(0);
}

/**
 * The readable text of a document from the web.
 *
 * @throws Error with a sentence for a person when it isn't text
 */
export function extract({ bytes, contentType }: ExtractInput): ExtractOutput {
  const type = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  if ((type !== "" && !TEXT_TYPE.test(type)) || looksBinary(bytes)) {
    throw new Error(`This is not a text but ${type.slice(0, 100) || "binary data"}.`);
  }
  const text = decodeText(bytes.subarray(0, EXTRACTED_BYTES), contentType);
  return isHtml(type, text) ? readPage(text) : { title: "", text: text.trim() };
}
