/** In UTF-16 units; longer texts are uploaded as a file. */
export const MAX_TEXT = 200_000;
export const TEXT_TOO_LONG = "Use at most 200,000 characters, or upload the text as a file";

/** Maximum body size (bytes): 3 per character in a multipart form, up to 6 in escaped JSON. */
export const TEXT_BODY_BYTES = 2 * 1024 * 1024;
