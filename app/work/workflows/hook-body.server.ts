import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { decodeAs, decodeText, looksBinary } from "~/core/charset";
import { AppError } from "~/core/errors";
import { parseForm } from "~/core/form-fields";
import { isJsonType, parseExactJson } from "~/core/parse";
import { clip } from "~/core/well-formed";
import type { Json } from "./steps/step-type";

/** Of a body without its encoding, in bytes. */
const MAX_BYTES = 1024 * 1024;

const DECODERS = new Map([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
] as const);

/**
 * Decompresses a body by its content encoding.
 * @throws AppError `unsupported_media`, `invalid`; `too_large` above 1 MB
 */
export async function decompressBody(bytes: Buffer, encoding = "identity"): Promise<Buffer> {
  const name = encoding.trim().toLowerCase();
  if (name === "identity" || name === "" || bytes.length === 0) return bytes;
  const decode = DECODERS.get(name as "gzip");
  if (!decode)
    throw new AppError("unsupported_media", "Send the body with gzip, deflate, br or no content encoding.");
  try {
    return await decode(bytes, { maxOutputLength: MAX_BYTES });
  } catch (cause) {
    if ((cause as { code?: string }).code === "ERR_BUFFER_TOO_LARGE")
      throw new AppError("too_large", "The decompressed body is larger than 1 MB.");
    throw new AppError("invalid", `The body isn't valid ${name}.`, { cause });
  }
}

/** A name that occurs several times has a list. */
export function collectFields(fields: Iterable<readonly [string, Json]>): Record<string, Json> {
  const lists = new Map<string, Json[]>();
  for (const [name, value] of fields) {
    const list = lists.get(name);
    if (list) list.push(value);
    else lists.set(name, [value]);
  }
  return Object.fromEntries(
    [...lists].map(([name, list]) => [name, list.length === 1 ? (list[0] ?? null) : list]),
  );
}

/** Text as text; other bytes in base64, since text would lose them. */
function contentOf(bytes: Buffer, contentType: string): { text: string } | { base64: string; bytes: number } {
  if (looksBinary(bytes)) return { base64: bytes.toString("base64"), bytes: bytes.length };
  return { text: decodeText(bytes, contentType) };
}

async function readFile(file: File): Promise<Json> {
  const content = contentOf(Buffer.from(await file.arrayBuffer()), file.type);
  return { name: clip(file.name, 300), type: clip(file.type, 200), ...content };
}

const ESCAPED_BYTE = /%([\da-f]{2})/gi;

/** An encoded form in another charset than UTF-8, which is decoded field by field. */
function decodeForm(bytes: Buffer, charset: string): [string, string][] {
  const decode = (part: string) => {
    const binary = part
      .replaceAll("+", " ")
      .replace(ESCAPED_BYTE, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    return decodeAs(Buffer.from(binary, "latin1"), charset);
  };
  return bytes
    .toString("latin1")
    .split("&")
    .filter((field) => field !== "")
    .map((field) => {
      const at = field.indexOf("=");
      return at < 0 ? [decode(field), ""] : [decode(field.slice(0, at)), decode(field.slice(at + 1))];
    });
}

async function readForm(bytes: Buffer, contentType: string): Promise<Json> {
  const form = await parseForm(new Uint8Array(bytes), contentType);
  const charset = /charset\s{0,9}=\s{0,9}"?([\w.:-]{2,40})/i.exec(contentType)?.[1];
  if (charset && !/^utf-?8$/i.test(charset) && !/^multipart/i.test(contentType))
    return collectFields(decodeForm(bytes, charset));
  const fields: [string, Json][] = [];
  for (const [name, value] of form)
    fields.push([name, typeof value === "string" ? value : await readFile(value)]);
  return collectFields(fields);
}

/**
 * JSON and forms as their values, any other text as text in its charset, and other bytes as `base64` and `bytes`.
 *
 * @param bytes without their content encoding
 * @throws AppError `invalid`
 */
export async function readHookBody(bytes: Buffer, contentType: string): Promise<Json> {
  if (isJsonType(contentType)) {
    const text = decodeText(bytes, contentType).replace(/^\ufeff/, "");
    return text.trim() === "" ? text : (parseExactJson(text) as Json);
  }
  if (/^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i.test(contentType))
    return bytes.length === 0 ? {} : readForm(bytes, contentType);
  const content = contentOf(bytes, contentType);
  return "text" in content ? content.text : content;
}
