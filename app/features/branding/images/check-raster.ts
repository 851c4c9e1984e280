import { imageSize } from "image-size";

/** Most pixels of a side: a logo is shown at 56 at most. */
const MAX_SIDE = 4096;

interface RasterKind {
  /** What image-size calls it. */
  type: string;
  mediaType: string;
  extension: string;
  /** Hexadecimal digits with which it begins; a dot is any digit. */
  magic: RegExp;
}

const KINDS: readonly RasterKind[] = [
  { type: "png", mediaType: "image/png", extension: "png", magic: /^89504e470d0a1a0a/ },
  { type: "jpg", mediaType: "image/jpeg", extension: "jpg", magic: /^ffd8ff/ },
  { type: "gif", mediaType: "image/gif", extension: "gif", magic: /^47494638(?:37|39)61/ },
  { type: "webp", mediaType: "image/webp", extension: "webp", magic: /^52494646.{8}57454250/ },
  { type: "ico", mediaType: "image/x-icon", extension: "ico", magic: /^00000100/ },
];

type CheckedRaster = Pick<RasterKind, "mediaType" | "extension"> | { problem: string };

/** What kind of image the bytes are, by their beginning alone, and whether its size is allowed. */
export function checkRaster(bytes: Uint8Array): CheckedRaster {
  const beginning = Buffer.from(bytes.subarray(0, 12)).toString("hex");
  const kind = KINDS.find(({ magic }) => magic.test(beginning));
  if (!kind) return { problem: "This is not an image. Use an SVG, PNG, JPEG, WebP, GIF or ICO file." };
  const damaged = { problem: "This image is damaged. Export it again." };
  let size: ReturnType<typeof imageSize>;
  try {
    size = imageSize(bytes);
  } catch (error) {
    // The library throws a plain Error or, where the bytes end early, a RangeError.
    if (error instanceof Error) return damaged;
    throw error;
  }
  const { width, height, type } = size;
  if (type !== kind.type || !(width > 0) || !(height > 0)) return damaged;
  if (Math.max(width, height) > MAX_SIDE) {
    return { problem: `This image has ${width} × ${height} pixels. Use at most ${MAX_SIDE} × ${MAX_SIDE}.` };
  }
  return { mediaType: kind.mediaType, extension: kind.extension };
}
