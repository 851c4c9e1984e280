import { crc32, deflateSync } from "node:zlib";
import type { Bitmap } from "./render-page";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Bits of a channel, then the kinds of color of PNG (https://www.w3.org/TR/png-3/#11IHDR). */
const BITS = 8;
const KINDS = { gray: 0, rgba: 6 };
const CHANNELS = { gray: 1, rgba: 4 };

function chunk(type: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Rows without a filter: pages are mostly white, which compresses well anyway. */
export function toPng({ width, height, colors, pixels }: Bitmap): Uint8Array {
  const rowBytes = width * CHANNELS[colors];
  const rows = Buffer.alloc((rowBytes + 1) * height);
  for (let row = 0; row < height; row++)
    rows.set(pixels.subarray(row * rowBytes, (row + 1) * rowBytes), row * (rowBytes + 1) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(BITS, 8);
  header.writeUInt8(KINDS[colors], 9);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows, { level: 6 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
