import type { z } from "zod";
import { AppError } from "~/core/errors";

/** Total of all messages, in bytes. */
const MAX_TEXT = 4_000_000;
const MAX_IMAGES = 100;

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** @throws AppError `too_large` for too much text, `invalid` for too many images */
export function checkContent(texts: Iterable<string>, images = 0): void {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  if (bytes > MAX_TEXT) {
    const message = `The messages contain ${megabytes(bytes)} of text; at most ${MAX_TEXT / 1e6} MB is allowed.`;
    throw new AppError("too_large", message, { fields: { messages: ["Too much text"] } });
  }
  if (images > MAX_IMAGES) {
    const message = `There are ${images} images; at most ${MAX_IMAGES} are allowed.`;
    throw new AppError("invalid", message, { fields: { messages: [message] } });
  }
}

/** Of an image or a file, decoded, in bytes. */
const MAX_FILE_BYTES = 10_000_000;
const MAX_URL_LENGTH = 8000;
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** The registered name of an image's type: providers refuse the common spelling. */
export const imageType = (mediaType: string): string =>
  mediaType.toLowerCase() === "image/jpg" ? "image/jpeg" : mediaType;

/** @returns the error message of invalid or too many bytes */
export function checkBase64(base64: string, noun: "image" | "file"): string | undefined {
  const bytes = Math.floor((base64.length * 3) / 4);
  if (bytes > MAX_FILE_BYTES) {
    return `The ${noun} is ${megabytes(bytes)}; at most ${MAX_FILE_BYTES / 1e6} MB is allowed.`;
  }
  // Searches for invalid characters, so that nothing backtracks.
  return base64 === "" || /[^A-Za-z0-9+/=\s]/.test(base64) ? `The ${noun} must be base64.` : undefined;
}

/** @returns the error message of a type that not every provider reads: one that gets the request unchanged decides */
export const checkImageType = (mediaType: string): string | undefined =>
  IMAGE_TYPES.includes(imageType(mediaType)) ? undefined : "Images must be PNG, JPEG, GIF or WebP.";

/** Splits a base64 data URL; undefined for other texts. */
export function readDataUrl(url: string): { mediaType: string; base64: string } | undefined {
  if (!/^data:/i.test(url.slice(0, 5))) return undefined;
  const comma = url.slice(0, 200).indexOf(",");
  const [mediaType = "", ...parameters] = url.slice(5, Math.max(comma, 5)).toLowerCase().split(";");
  return comma > 0 && parameters.at(-1)?.trim() === "base64"
    ? { mediaType: imageType(mediaType.trim()), base64: url.slice(comma + 1) }
    : undefined;
}

/** @returns the error message of an invalid image URL */
export function checkImageUrl(url: string): string | undefined {
  const data = readDataUrl(url);
  if (data) return checkBase64(data.base64, "image");
  if (url.length <= MAX_URL_LENGTH && /^https?:\/\//i.test(url) && URL.canParse(url)) return undefined;
  return "An image must be a base64 data URL or an http(s) URL.";
}

/** Names the field, since clients show the message as it is. */
export function invalidField(path: readonly PropertyKey[], message: string): AppError {
  const field = path.map(String).join(".");
  if (field === "") return new AppError("invalid", message);
  return new AppError("invalid", `${field}: ${message}`, { fields: { [field]: [message] } });
}

type Issue = z.core.$ZodIssue;

/** An issue of the right type, unlike that of a union's other members. */
const isOfValue = ({ code, path }: Issue) => path.length > 0 || code === "too_big" || code === "custom";

/**
 * The most specific issue. Within a union it is that of the member that got furthest: an array's bad part, or its
 * length, rather than "not a text".
 */
function deepest(issue: Issue): { path: PropertyKey[]; message: string } {
  if (issue.code !== "invalid_union") return issue;
  const inside = issue.errors.flatMap((issues) => issues.slice(0, 1).filter(isOfValue).map(deepest));
  const best = inside.reduce<{ path: PropertyKey[]; message: string } | undefined>(
    (found, next) => (found && found.path.length >= next.path.length ? found : next),
    undefined,
  );
  return best ? { ...best, path: [...issue.path, ...best.path] } : issue;
}

/** @throws AppError `invalid` with the first wrong field */
export function parseRequest<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  const { path, message } = first ? deepest(first) : { path: [], message: "The request is malformed." };
  throw invalidField(path, message);
}
