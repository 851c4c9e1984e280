import { detect } from "chardet";
import sniffEncoding from "html-encoding-sniffer";

const PRESCAN_BYTES = 4096;
const SAMPLE_BYTES = 65_536;
const MAX_CONTROL_SHARE = 0.02;

function detectByteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return undefined;
}

/** Detects UTF-16 without a byte order mark: in Latin text every other byte is zero. */
function detectUtf16(bytes: Uint8Array): string | undefined {
  const zeros = [0, 0];
  let printable = 0;
  const length = Math.min(bytes.length, PRESCAN_BYTES);
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
    else if (byte >= 9 && byte < 127) printable += 1;
  }
  const [even = 0, odd = 0] = zeros;
  if (even + odd < length * 0.3 || printable < length * 0.4) return undefined;
  if (even === 0) return "utf-16le";
  return odd === 0 ? "utf-16be" : undefined;
}

export function looksBinary(bytes: Uint8Array): boolean {
  if (detectByteOrderMark(bytes) || detectUtf16(bytes)) return false;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) return true;
    // Text has tab to carriage return, and escape for terminal colors.
    if (byte < 32 && (byte < 9 || byte > 13) && byte !== 27) controls += 1;
  }
  return controls > sample.length * MAX_CONTROL_SHARE;
}

function findDeclaredCharset(bytes: Uint8Array): string | undefined {
  const inMeta = sniffEncoding(bytes, { defaultEncoding: "" });
  if (inMeta) return inMeta;
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, PRESCAN_BYTES));
  const label = /^\s{0,99}<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{2,40})/i.exec(start)?.[1];
  // A declaration that could be read byte by byte was not written in UTF-16 (HTML standard, "prescan").
  return label && /^utf-?16/i.test(label) ? "utf-8" : label;
}

function decoderFor(label: string | undefined, options?: TextDecoderOptions): TextDecoder | undefined {
  if (!label) return undefined;
  try {
    return new TextDecoder(label, options);
  } catch {
    return undefined;
  }
}

/** @returns undefined if the bytes are invalid in that charset */
function decodeStrictly(bytes: Uint8Array, label: string | undefined): string | undefined {
  try {
    // The last character may be cut at a limit: stream mode drops it instead of failing.
    const stream = bytes.length >= PRESCAN_BYTES;
    return decoderFor(label, { fatal: true })?.decode(bytes, { stream });
  } catch {
    return undefined;
  }
}

/** Detects the encoding (BOM, Content-Type, declaration, UTF-8, letter statistics) and decodes. Never throws. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const marked = decoderFor(detectByteOrderMark(bytes));
  if (marked) return marked.decode(bytes);
  const fromHeader = /charset\s{0,9}=\s{0,9}"?([\w.:-]{2,40})/i.exec(contentType)?.[1];
  const wide = detectUtf16(bytes);
  const unicode = wide ? undefined : decodeStrictly(bytes, "utf-8");
  if (unicode !== undefined && unicode.length < bytes.length) return unicode;
  for (const label of [fromHeader, wide, findDeclaredCharset(bytes)]) {
    const text = decodeStrictly(bytes, label);
    if (text !== undefined) return text;
  }
  if (unicode !== undefined) return unicode;
  const guess = detect(bytes.subarray(0, SAMPLE_BYTES)) ?? undefined;
  const decoder = decoderFor(guess && /^(?:utf-8|ascii)$/i.test(guess) ? undefined : guess);
  return (decoder ?? new TextDecoder("windows-1252")).decode(bytes);
}
