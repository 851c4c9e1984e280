// Without a schema library: the browser looks at the length before it sends.

/** Of one text, in characters (UTF-16 units); a longer one is a file. */
export const MAX_TEXT = 1_000_000;
export const TEXT_TOO_LONG = "Use at most 1,000,000 characters, or upload the text as a file";

/** Of the questions that are imported at once, in characters. */
export const MAX_IMPORT = 3_000_000;
export const IMPORT_TOO_LONG = "Use at most 3,000,000 characters, or import the questions in several parts";

/**
 * A body that carries a text of 1,000,000 characters, in bytes: they take 3 each in a multipart form and, where a program
 * escapes them all, 6 each in JSON.
 */
export const TEXT_BODY_BYTES = 10 * 1024 * 1024;
