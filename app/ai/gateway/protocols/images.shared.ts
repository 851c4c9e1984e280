/** Decoded, in bytes. */
const MAX_IMAGE_BYTES = 10_000_000;
const MAX_URL_LENGTH = 8000;
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** @returns the error message of an invalid image */
export function checkImage(mediaType: string, base64: string): string | undefined {
  if (!IMAGE_TYPES.includes(mediaType)) return "Images must be PNG, JPEG, GIF or WebP.";
  const bytes = Math.floor((base64.length * 3) / 4);
  if (bytes > MAX_IMAGE_BYTES) {
    return `The image is ${megabytes(bytes)}; at most ${MAX_IMAGE_BYTES / 1e6} MB is allowed.`;
  }
  // Searches for invalid characters, so that nothing backtracks.
  return base64 === "" || /[^A-Za-z0-9+/=\s]/.test(base64) ? "The image must be base64." : undefined;
}

/** Splits a base64 data URL; undefined for other texts. */
export function readDataUrl(url: string): { mediaType: string; base64: string } | undefined {
  if (!/^data:/i.test(url.slice(0, 5))) return undefined;
  const comma = url.slice(0, 200).indexOf(",");
  const [mediaType = "", ...parameters] = url.slice(5, Math.max(comma, 5)).toLowerCase().split(";");
  return comma > 0 && parameters.at(-1)?.trim() === "base64"
    ? { mediaType: mediaType.trim(), base64: url.slice(comma + 1) }
    : undefined;
}

/** @returns the error message of an invalid image URL */
export function checkImageUrl(url: string): string | undefined {
  const data = readDataUrl(url);
  if (data) return checkImage(data.mediaType, data.base64);
  if (url.length <= MAX_URL_LENGTH && /^https?:\/\//i.test(url) && URL.canParse(url)) return undefined;
  return "An image must be a base64 data URL or an http(s) URL.";
}
