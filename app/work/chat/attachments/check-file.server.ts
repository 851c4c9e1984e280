import { AppError } from "~/core/errors";
import { type Raster, readRaster } from "~/core/raster";
import { ATTACHMENT_LIMITS } from "./limits.shared";

const IMAGE_NAME = /\.(?:png|jpe?g|jfif|gif|webp)$/i;
const OTHER_IMAGE = /\.(?:bmp|tiff?|ico|heic|heif|avif)$/i;
const SUPPORTED: readonly string[] = ["png", "jpg", "gif", "webp"];

const invalid = (message: string) => new AppError("invalid", message);
const figure = (value: number) => value.toLocaleString("en-US");

/** Image formats that no provider accepts, by signature. */
function isOtherImage(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  return /^(?:BM[\s\S]{4}\0|II\*\0|MM\0\*|[\s\S]{4}ftyp(?:heic|heix|mif1|msf1|avif|avis))/.test(start);
}

/** Whether an image is complete; providers reject truncated ones too late. */
function isComplete({ extension }: Raster, bytes: Buffer): boolean {
  switch (extension) {
    case "png":
      return bytes.lastIndexOf("IEND", undefined, "latin1") > 0;
    case "jpg":
      return bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) > 0;
    case "webp":
      return bytes.readUInt32LE(4) + 8 <= bytes.length;
    default:
      return true;
  }
}

/**
 * Detects an image by its bytes without decoding; undefined for other files.
 * @throws AppError `invalid` for damaged or unsupported images, `too_large`
 */
export function checkImage(bytes: Buffer, name: string): Raster | undefined {
  const raster = readRaster(bytes);
  if (raster === "damaged") throw invalid("This image is damaged. Export it again.");
  if (raster === undefined) {
    if (isOtherImage(bytes) || OTHER_IMAGE.test(name))
      throw invalid("This image format isn't supported. Save it as PNG, JPEG, WebP or GIF.");
    if (IMAGE_NAME.test(name)) throw invalid("This file isn't an image, despite its file extension.");
    return undefined;
  }
  if (!SUPPORTED.includes(raster.extension))
    throw invalid("This image format isn't supported. Save it as PNG, JPEG, WebP or GIF.");
  if (!isComplete(raster, bytes)) throw invalid("This image is incomplete. Export it again.");
  const { width, height } = raster;
  const { imageSide, imagePixels } = ATTACHMENT_LIMITS;
  if (Math.max(width, height) > imageSide || width * height > imagePixels)
    throw new AppError(
      "too_large",
      `This image has ${figure(width)} × ${figure(height)} pixels. Use at most ${figure(imageSide)} on a side and ${imagePixels / 1_000_000} million in all.`,
    );
  return raster;
}
