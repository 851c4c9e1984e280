import { type Raster, readRaster } from "~/core/raster";

/** Maximum width and height, in pixels; logos are shown at 56 at most. */
const MAX_SIDE = 4096;

type CheckedRaster = Pick<Raster, "mediaType" | "extension"> | { problem: string };

export function checkRaster(bytes: Uint8Array): CheckedRaster {
  const raster = readRaster(bytes);
  if (raster === undefined)
    return { problem: "This is not an image. Use an SVG, PNG, JPEG, WebP, GIF or ICO file." };
  if (raster === "damaged") return { problem: "This image is damaged. Export it again." };
  const { width, height, mediaType, extension } = raster;
  if (Math.max(width, height) > MAX_SIDE) {
    return { problem: `This image has ${width} × ${height} pixels. Use at most ${MAX_SIDE} × ${MAX_SIDE}.` };
  }
  return { mediaType, extension };
}
