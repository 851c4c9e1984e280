/** How far into a page its own declaration is looked for; the HTML standard asks for 1024 bytes. */
const PRESCAN_BYTES = 4096;

function byOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return undefined;
}

function declaredInside(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, PRESCAN_BYTES));
  const label =
    /<meta[^>]{0,500}?charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]{2,40})/i.exec(start)?.[1] ??
    /^\s{0,99}<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{2,40})/i.exec(start)?.[1];
  // A declaration that could be read byte by byte was not written in UTF-16 (HTML standard, "prescan").
  return label && /^utf-?16/i.test(label) ? "utf-8" : label;
}

function decoderFor(label: string | undefined): TextDecoder | undefined {
  if (!label) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    // An unknown label is as good as none.
    return undefined;
  }
}

/**
 * Decodes a text of the web in the order browsers use: byte order mark, Content-Type header, the document's own
 * declaration; then UTF-8 where it fits and windows-1252 where it doesn't. Never throws: bytes that don't fit become
 * replacement characters.
 */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const fromHeader = /charset\s{0,9}=\s{0,9}"?([\w.:-]{2,40})/i.exec(contentType)?.[1];
  for (const label of [byOrderMark(bytes), fromHeader, declaredInside(bytes)]) {
    const decoder = decoderFor(label);
    if (decoder) return decoder.decode(bytes);
  }
  try {
    // A cut at the limit may split the last character: stream mode leaves it out instead of failing.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
