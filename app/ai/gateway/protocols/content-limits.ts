import { AppError } from "~/core/errors";

/** Total of all messages, in bytes. */
const MAX_TEXT = 4_000_000;
const MAX_IMAGES = 100;

export interface Content {
  texts: Iterable<string>;
  images: number;
}

/** @throws AppError `too_large` for too much text, `invalid` for too many images */
export function checkContent({ texts, images }: Content): void {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  if (bytes > MAX_TEXT) {
    const megabytes = (bytes / 1e6).toFixed(1);
    throw new AppError(
      "too_large",
      `The messages contain ${megabytes} MB of text; at most ${MAX_TEXT / 1e6} MB is allowed.`,
      { fields: { messages: ["Too much text"] } },
    );
  }
  if (images > MAX_IMAGES) {
    const message = `There are ${images} images; at most ${MAX_IMAGES} are allowed.`;
    throw new AppError("invalid", message, { fields: { messages: [message] } });
  }
}
