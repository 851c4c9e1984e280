import { inflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { readRaster } from "~/core/raster";
import { toPng } from "./png";

it.each([
  ["gray", [0, 255, 128, 7]],
  ["rgba", [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 1, 2, 3, 4]],
] as const)("writes a %s bitmap as PNG", (colors, pixels) => {
  const png = Buffer.from(toPng({ width: 2, height: 2, colors, pixels: Uint8Array.from(pixels) }));
  expect(readRaster(png)).toMatchObject({ mediaType: "image/png", width: 2, height: 2 });
  const at = png.indexOf("IDAT");
  const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
  const half = pixels.length / 2;
  // Each row begins with the kind of its filter: none.
  expect([...rows]).toEqual([0, ...pixels.slice(0, half), 0, ...pixels.slice(half)]);
});
