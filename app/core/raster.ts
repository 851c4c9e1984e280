import { imageSize } from "image-size";

export interface Raster {
  mediaType: string;
  extension: string;
  width: number;
  height: number;
}

interface RasterKind {
  type: string;
  mediaType: string;
  extension: string;
  magic: RegExp;
}

const KINDS: readonly RasterKind[] = [
  { type: "png", mediaType: "image/png", extension: "png", magic: /^89504e470d0a1a0a/ },
  { type: "jpg", mediaType: "image/jpeg", extension: "jpg", magic: /^ffd8ff/ },
  { type: "gif", mediaType: "image/gif", extension: "gif", magic: /^47494638(?:37|39)61/ },
  { type: "webp", mediaType: "image/webp", extension: "webp", magic: /^52494646.{8}57454250/ },
  { type: "ico", mediaType: "image/x-icon", extension: "ico", magic: /^00000100/ },
];

export function readRaster(bytes: Uint8Array): Raster | "damaged" | undefined {
  const beginning = Buffer.from(bytes.subarray(0, 12)).toString("hex");
  const kind = KINDS.find(({ magic }) => magic.test(beginning));
  if (!kind) return undefined;
  let size: ReturnType<typeof imageSize>;
  try {
    size = imageSize(bytes);
  } catch (error) {
    // The library throws an Error, or a RangeError for truncated bytes.
    if (error instanceof Error) return "damaged";
    throw error;
  }
  const { width, height, type } = size;
  if (type !== kind.type || !(width > 0) || !(height > 0)) return "damaged";
  return { mediaType: kind.mediaType, extension: kind.extension, width, height };
}
