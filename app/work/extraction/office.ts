import { strToU8 } from "fflate";
import { SaxesParser } from "saxes";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { AppError } from "~/core/errors";
import type { Facts } from "./document.schema";
import { shortText } from "./document-builder";

/** Unpacked size of the parts that are read, in bytes. */
const MAX_UNPACKED = 200_000_000;
const MAX_PARTS = 10_000;
/** Text compresses about 40:1, deflate up to 1000:1. Checked from `RATIO_FROM` bytes on. */
const MAX_RATIO = 300;
const RATIO_FROM = 20_000_000;

/** Other parts, such as pages inserted into a Word file, aren't read as XML. */
const XML_NAME = /\.(?:xml|rels)$/i;

export type Parts = Map<string, Uint8Array>;

function tooLarge(): AppError {
  return new AppError(
    "invalid",
    `The file unpacks to more than ${MAX_UNPACKED / 1_000_000} MB. Split it into smaller files.`,
  );
}

/** Signature, length and the longest comment of the record at the end of an archive. */
const [END, END_LENGTH, MAX_COMMENT] = ["PK\x05\x06", 22, 65_535];

/**
 * Cuts off what follows the end of an archive's directory. Office reads files whose comment is cut or longer than it says,
 * as some transfers leave them.
 */
function withoutComment(archive: Buffer): Buffer {
  const at = archive.lastIndexOf(END, -END_LENGTH, "latin1");
  const isWhole = at < 0 || at + END_LENGTH + archive.readUInt16LE(at + END_LENGTH - 2) === archive.length;
  if (isWhole || at < archive.length - END_LENGTH - MAX_COMMENT) return archive;
  const copy = Buffer.from(archive.subarray(0, at + END_LENGTH));
  copy.writeUInt16LE(0, at + END_LENGTH - 2);
  return copy;
}

async function open(bytes: Uint8Array): Promise<ZipFile> {
  const buffer = withoutComment(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const zip = await fromBufferPromise(buffer, { lazyEntries: true, validateEntrySizes: true });
  if (zip.entryCount > MAX_PARTS) {
    throw new AppError(
      "invalid",
      `The file has more than ${MAX_PARTS.toLocaleString("en")} parts. Split it into smaller files.`,
    );
  }
  return zip;
}

export async function listParts(bytes: Uint8Array): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const entry of (await open(bytes)).eachEntry()) names.add(entry.fileName);
  return names;
}

async function unpack(zip: ZipFile, entry: Entry, room: number): Promise<Uint8Array> {
  const stream = await zip.openReadStreamPromise(entry);
  const pieces: Buffer[] = [];
  let length = 0;
  // The directory's sizes are untrusted: the unpacked bytes are counted.
  for await (const piece of stream as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > room) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/**
 * Unpacks selected parts within limits on number, size and ratio, before a library sees them.
 * @param check refuses parts; the default one, any that declare entities
 * @throws AppError `invalid` beyond the limits; any other error means a damaged archive
 */
export async function unpackParts(
  bytes: Uint8Array,
  isWanted: (name: string) => boolean,
  check = requireSafeXml,
): Promise<Parts> {
  const zip = await open(bytes);
  const parts: Parts = new Map();
  let length = 0;
  for await (const entry of zip.eachEntry()) {
    if (!isWanted(entry.fileName)) continue;
    if (entry.uncompressedSize > MAX_UNPACKED - length) throw tooLarge();
    const isSuspicious = entry.uncompressedSize > RATIO_FROM;
    if (isSuspicious && entry.uncompressedSize > entry.compressedSize * MAX_RATIO) {
      throw new AppError("invalid", "The file's compression ratio is unsafe. Save it again or as PDF.");
    }
    const part = await unpack(zip, entry, MAX_UNPACKED - length);
    length += part.length;
    parts.set(entry.fileName, XML_NAME.test(entry.fileName) ? check(part) : part);
  }
  return parts;
}

const WIDE_MARKS = /^(?:\xff\xfe|\xfe\xff)/;

function declaresDoctype(xml: Buffer): boolean {
  for (let at = xml.indexOf("<!"); at >= 0; at = xml.indexOf("<!", at + 2)) {
    if (/^doctype$/i.test(xml.toString("latin1", at + 2, at + 9))) return true;
  }
  return false;
}

/** Refuses document type declarations: Office programs write none, so one is likely an entity attack. */
function requireSafeXml(part: Uint8Array): Uint8Array {
  const isWide = WIDE_MARKS.test(Buffer.from(part.subarray(0, 2)).toString("latin1"));
  const bytes = isWide
    ? strToU8(new TextDecoder(part[0] === 0xff ? "utf-16le" : "utf-16be").decode(part))
    : part;
  if (declaresDoctype(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))) {
    throw new AppError(
      "invalid",
      "The file declares XML entities, which isn't allowed. Save it again in Office or as PDF.",
    );
  }
  return bytes;
}

export interface XmlHandler {
  /** Reads no further than this, in the midst of an element if need be. */
  maxBytes?: number;
  /** Element names have no prefix, attribute names do. */
  open?(name: string, attributes: Record<string, string>): void;
  text?(text: string): void;
  close?(name: string): void;
  /** Whether the rest needn't be read. Asked every `XML_PIECE` bytes. */
  isDone?(): boolean;
}

/** In bytes: a large part as one string would take as much memory again. */
const XML_PIECE = 100_000;

const localName = (name: string) => name.slice(name.indexOf(":") + 1);

/**
 * Reads XML without building a tree. Refuses declared entities.
 * @returns whether it was read to its end
 * @throws Error if it isn't well-formed
 */
export function readXml(bytes: Uint8Array, handler: XmlHandler): boolean {
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", (tag) =>
    handler.open?.(localName(tag.name), tag.attributes as Record<string, string>),
  );
  parser.on("text", (text) => handler.text?.(text));
  parser.on("closetag", (tag) => handler.close?.(localName(tag.name)));
  const decoder = new TextDecoder();
  const end = Math.min(bytes.length, handler.maxBytes ?? bytes.length);
  for (let at = 0; at < end; at += XML_PIECE) {
    if (handler.isDone?.()) return false;
    parser.write(decoder.decode(bytes.subarray(at, Math.min(at + XML_PIECE, end)), { stream: true }));
  }
  if (end < bytes.length) return false;
  parser.write(decoder.decode()).close();
  return true;
}

/** Reads an attribute by its local name: files choose their prefixes. */
export function attributeOf(attributes: Readonly<Record<string, string>>, name = "val"): string | undefined {
  const value = attributes[`w:${name}`];
  if (value !== undefined) return value;
  const key = Object.keys(attributes).find((at) => at === name || at.endsWith(`:${name}`));
  return key === undefined ? undefined : attributes[key];
}

/** Default titles of programs. */
const EMPTY_TITLE =
  /^(?:powerpoint[- ]pr\S+|pr[eé]sentation(?: powerpoint)?|slide 1|untitled|document\d{0,3}|book\d{0,3})$/i;

/** Texts of a part's elements by name, such as those that describe a document. */
export function textsOf(bytes: Uint8Array): Record<string, string> {
  const texts: Record<string, string> = {};
  let open = "";
  readXml(bytes, {
    open: (name) => {
      open = name;
    },
    text: (text) => {
      texts[open] = (texts[open] ?? "") + text;
    },
    close: () => {
      open = "";
    },
  });
  return texts;
}

/** What a document says of itself; what is empty is left out. */
export function factsOf(texts: {
  creator?: string | undefined;
  language?: string | undefined;
  created?: string | undefined;
}): Omit<Facts, "format"> {
  const [author, language, created] = [texts.creator, texts.language, texts.created].map((text) =>
    shortText(text),
  );
  return {
    ...(author ? { author } : {}),
    ...(language ? { language } : {}),
    ...(created ? { created } : {}),
  };
}

/** Reads docProps/core.xml (Dublin Core). Ignores damaged properties. */
export function readProperties(parts: Parts): { title: string; facts: Omit<Facts, "format"> } {
  const bytes = parts.get("docProps/core.xml");
  if (!bytes) return { title: "", facts: {} };
  try {
    const texts = textsOf(bytes);
    const title = shortText(texts.title);
    return { title: EMPTY_TITLE.test(title) ? "" : title, facts: factsOf(texts) };
  } catch {
    return { title: "", facts: {} };
  }
}
