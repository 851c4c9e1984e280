import sniffEncoding from "html-encoding-sniffer";
import iconv from "iconv-lite";
import { findWideEncoding } from "./charset-wide";

/** What browsers take for a text that says nothing; every byte sequence is valid in it. */
export const DEFAULT_ENCODING = "windows-1252";

const PRESCAN_BYTES = 4096;
const SAMPLE_BYTES = 65_536;
const MAX_CONTROL_SHARE = 0.02;
const UTF_8: Encoding = { name: "utf-8", iconv: undefined };
/** Share of broken characters up to which a text with others beyond ASCII still is UTF-8. */
const MAX_BROKEN_SHARE = 0.1;

const MARKS: readonly [mark: string, encoding: string][] = [
  ["\xef\xbb\xbf", "utf-8"],
  ["\xff\xfe\0\0", "utf-32le"],
  ["\0\0\xfe\xff", "utf-32be"],
  ["\xfe\xff", "utf-16be"],
  ["\xff\xfe", "utf-16le"],
  ["\x84\x31\x95\x33", "gb18030"],
];

const latin1 = (bytes: Uint8Array, end: number) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, end)).toString("latin1");

function findMark(bytes: Uint8Array): string | undefined {
  const start = latin1(bytes, 4);
  return MARKS.find(([mark]) => start.startsWith(mark))?.[1];
}

/** Whether a text of one byte per character could have these bytes. */
function hasBinaryBytes(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) return true;
    // Text has tab to carriage return, and escape for terminal colors.
    if (byte < 32 && (byte < 9 || byte > 13) && byte !== 27) controls += 1;
  }
  return controls > sample.length * MAX_CONTROL_SHARE;
}

const findUnmarkedWide = (bytes: Uint8Array) =>
  hasBinaryBytes(bytes) ? findWideEncoding(bytes.subarray(0, SAMPLE_BYTES)) : undefined;

export const looksBinary = (bytes: Uint8Array): boolean =>
  hasBinaryBytes(bytes) && !findMark(bytes) && !findWideEncoding(bytes.subarray(0, SAMPLE_BYTES));

/** Japanese mail and old pages in seven bits, which are valid UTF-8 too. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escapes switch between the character sets
const ISO_2022_JP = /\x1b\$[@B]|\x1b\(I/;

/** What has a charset, what hides tags, and where a page's head ends. */
const LANDMARK = /<(?:!--|script\b|style\b|meta\b|body\b)/gi;
const ENDS: Readonly<Record<string, RegExp>> = {
  "<!--": /-->/g,
  "<script": /<\/script/gi,
  "<style": /<\/style/gi,
};

/** A whole tag: its quotes may have what ends it. Bounded, since a quote may never end. */
const META = /<meta(?:[^>"']|"[^"]{0,1000}"|'[^']{0,1000}'){0,1000}>/iy;

/** The charset of a page's `meta`, also behind long scripts, after which browsers find it as they parse. */
function findMetaCharset(bytes: Uint8Array, start: string): string | undefined {
  LANDMARK.lastIndex = 0;
  for (let found = LANDMARK.exec(start); found; found = LANDMARK.exec(start)) {
    const name = found[0].toLowerCase();
    if (name === "<body") return undefined;
    const end = ENDS[name] ?? META;
    end.lastIndex = end === META ? found.index : LANDMARK.lastIndex;
    if (!end.test(start)) return undefined;
    LANDMARK.lastIndex = end.lastIndex;
    if (end !== META) continue;
    const encoding = sniffEncoding(bytes.subarray(found.index, end.lastIndex), { defaultEncoding: "" });
    if (encoding) return encoding;
  }
  return undefined;
}

function findDeclaration(bytes: Uint8Array): string | undefined {
  const start = latin1(bytes, SAMPLE_BYTES);
  const inMeta = findMetaCharset(bytes, start);
  if (inMeta) return inMeta;
  const label = /^\s{0,99}<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{2,40})/i.exec(start)?.[1];
  // A declaration that could be read byte by byte was not written in UTF-16 (HTML standard, "prescan").
  return label && /^utf-?16/i.test(label) ? "utf-8" : label;
}

/**
 * WHATWG's encodings that TextDecoder reads badly: some Node versions lose 0x80 to 0x9F of windows-1252, and its Korean
 * and Chinese lack what Windows and Hong Kong added.
 */
const BY_ICONV: Readonly<Record<string, string>> = {
  "windows-1252": "windows-1252",
  "euc-kr": "cp949",
  big5: "big5hkscs",
};
/** Charsets that browsers don't read. iconv-lite also has names that are none, such as `base64`. */
const OTHERS = /^(?:cp|ibm|mac|tis|utf-?32)[\w.-]*$/i;

interface Encoding {
  name: string;
  /** Its name at iconv-lite; without it, TextDecoder reads it. */
  iconv: string | undefined;
}

function findEncoding(label: string): Encoding | undefined {
  try {
    const name = new TextDecoder(label).encoding;
    return { name, iconv: BY_ICONV[name] };
  } catch {
    const name = label.toLowerCase();
    return OTHERS.test(name) && iconv.encodingExists(name) ? { name, iconv: name } : undefined;
  }
}

const decodeByIconv = (bytes: Uint8Array, name: string) =>
  iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), name);

/** Decodes by a label; what is invalid becomes U+FFFD. An unknown label is the default encoding. */
export function decodeAs(bytes: Uint8Array, label: string): string {
  const { name, iconv = undefined } = findEncoding(label) ?? { name: label, iconv: DEFAULT_ENCODING };
  return iconv ? decodeByIconv(bytes, iconv) : new TextDecoder(name).decode(bytes);
}

/** @returns undefined if the bytes are invalid in that encoding */
function decodeStrictly(bytes: Uint8Array, { name, iconv }: Encoding): string | undefined {
  if (iconv) {
    const text = decodeByIconv(bytes, iconv);
    const broken = iconv === DEFAULT_ENCODING ? -1 : text.indexOf(BROKEN);
    // The last character may be cut at a limit.
    return broken < 0 || broken >= text.length - 1 ? text : undefined;
  }
  try {
    // Stream mode drops a character that is cut at a limit instead of failing.
    return new TextDecoder(name, { fatal: true }).decode(bytes, { stream: bytes.length >= PRESCAN_BYTES });
  } catch {
    return undefined;
  }
}

const BROKEN = "\ufffd";

/** UTF-8 with a few broken characters, as in a log of several programs; undefined if most are. */
function decodeBrokenUtf8(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(bytes);
  let [whole, broken] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) broken += 1;
    else if (code > 0x7f) whole += 1;
  }
  return broken <= whole * MAX_BROKEN_SHARE ? text : undefined;
}

export interface DecodedText {
  text: string;
  /** A label of WHATWG or iconv-lite, in lower case. */
  encoding: string;
}

/**
 * Decodes what says its encoding: by a mark, its bytes, the header or a declaration. Never throws.
 * @returns undefined if only a guess is left
 */
export function decodeKnown(bytes: Uint8Array, contentType: string): DecodedText | undefined {
  const mark = findMark(bytes);
  if (mark) return { text: decodeAs(bytes, mark), encoding: mark };
  const wide = findUnmarkedWide(bytes);
  const utf8 = wide ? undefined : decodeStrictly(bytes, UTF_8);
  const isAscii = utf8?.length === bytes.length;
  const unicode = isAscii || wide ? undefined : (utf8 ?? decodeBrokenUtf8(bytes));
  if (unicode !== undefined) return { text: unicode, encoding: UTF_8.name };
  const fromHeader = /charset\s{0,9}=\s{0,9}"?([\w.:-]{2,40})/i.exec(contentType)?.[1];
  const escaped = isAscii && ISO_2022_JP.test(latin1(bytes, SAMPLE_BYTES)) ? "iso-2022-jp" : undefined;
  for (const label of [fromHeader, wide ?? escaped, findDeclaration(bytes)]) {
    const encoding = label ? findEncoding(label) : undefined;
    const text = encoding && decodeStrictly(bytes, encoding);
    if (text !== undefined && encoding) return { text, encoding: encoding.name };
  }
  return utf8 === undefined ? undefined : { text: utf8, encoding: UTF_8.name };
}

/**
 * Decodes without statistics, which are too slow for the main thread: what doesn't say its encoding is read as browsers
 * do. Never throws.
 */
export const decodeText = (bytes: Uint8Array, contentType: string): string =>
  decodeKnown(bytes, contentType)?.text ?? decodeAs(bytes, DEFAULT_ENCODING);
