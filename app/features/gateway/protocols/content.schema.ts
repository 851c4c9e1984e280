import { z } from "zod";

export const MAX_MESSAGES = 5000;
/** Total of all messages. */
const MAX_PARTS = 20_000;
/** Decoded, in bytes. */
const MAX_IMAGE_BYTES = 10_000_000;
const MAX_URL_LENGTH = 8000;
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Checks the length before the items. */
export const bounded = <T extends z.ZodType>(item: T, max: number, noun: string) =>
  z
    .array(z.unknown())
    .max(max, `At most ${max.toLocaleString("en")} ${noun} are allowed.`)
    .pipe(z.array(item));

const partsIn = (message: unknown) =>
  typeof message === "object" && message !== null && "content" in message && Array.isArray(message.content)
    ? message.content.length
    : 1;

export const messagesOf = <T extends z.ZodType>(message: T) =>
  z
    .array(z.unknown())
    .min(1, "At least one message is required.")
    .max(MAX_MESSAGES, `At most ${MAX_MESSAGES.toLocaleString("en")} messages are allowed.`)
    .refine((all) => all.reduce<number>((sum, one) => sum + partsIn(one), 0) <= MAX_PARTS, {
      message: `At most ${MAX_PARTS.toLocaleString("en")} content parts are allowed.`,
      abort: true,
    })
    .pipe(z.array(message));

export const ModelId = z.string().min(1, "A model is required.").max(200);
export const ToolName = z
  .string()
  .regex(/^[\w.:-]{1,128}$/, "A tool's name must have at most 128 letters, digits, _ and -.");

/** A message about an invalid image, or undefined. */
export function problemWithImage(mediaType: string, base64: string): string | undefined {
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

/** A message about an invalid image URL, or undefined. */
export function problemWithImageUrl(url: string): string | undefined {
  const data = readDataUrl(url);
  if (data) return problemWithImage(data.mediaType, data.base64);
  if (url.length <= MAX_URL_LENGTH && /^https?:\/\//i.test(url) && URL.canParse(url)) return undefined;
  return "An image must be a base64 data URL or an http(s) URL.";
}
