const [COMPRESSED, UNCOMPRESSED] = [0x75465a4c, 0x414c454d];
const HEADER_BYTES = 16;
const MAX_UNPACKED = 20_000_000;
const WINDOW = 4096;
/** The text that every window begins with ([MS-OXRTFCP] 2.1.2.1). */
const START =
  "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript " +
  "\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par " +
  "\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

/**
 * Unpacks the compressed RTF of Outlook ([MS-OXRTFCP]).
 * @returns undefined if it is of another kind, or longer than 20 MB
 */
export function unpackRtf(packed: Uint8Array): Buffer | undefined {
  if (packed.length < HEADER_BYTES) return undefined;
  const input = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const [kind, size] = [input.readUInt32LE(8), input.readUInt32LE(4)];
  if (kind === UNCOMPRESSED) return input.subarray(HEADER_BYTES, HEADER_BYTES + size);
  if (kind !== COMPRESSED) return undefined;
  const window = Buffer.alloc(WINDOW);
  let at = window.write(START, "latin1");
  const output: number[] = [];
  const put = (byte: number) => {
    window[at] = byte;
    at = (at + 1) % WINDOW;
    output.push(byte);
  };
  for (let position = HEADER_BYTES; position < input.length; ) {
    const control = input[position++] ?? 0;
    for (let bit = 0; bit < 8 && position < input.length; bit++) {
      if ((control & (1 << bit)) === 0) {
        put(input[position++] ?? 0);
        continue;
      }
      if (position + 1 >= input.length) return Buffer.from(output);
      const token = input.readUInt16BE(position);
      position += 2;
      const offset = token >> 4;
      if (offset === at) return Buffer.from(output);
      for (let n = 0; n < (token & 15) + 2; n++) put(window[(offset + n) % WINDOW] ?? 0);
      if (output.length > MAX_UNPACKED) return undefined;
    }
  }
  return Buffer.from(output);
}
