/** Stored text per document, in characters: about 1,500 printed pages. */
export const MAX_TEXT = 5_000_000;

export const MAX_PAGES = 5_000;

/** Approximate length of a stored piece, in characters. */
export const PIECE_LENGTH = 50_000;

/** Unpacked size in bytes; of an Office file, of the parts that are read. */
export const MAX_UNPACKED = 200_000_000;
export const MAX_PARTS = 10_000;
/** Text compresses about 40:1, deflate up to 1000:1. Checked from `RATIO_FROM` bytes on. */
export const MAX_RATIO = 300;
export const RATIO_FROM = 20_000_000;

/** Bytes of XML per sheet, and rows of all sheets. */
export const MAX_SHEET = 30_000_000;
export const MAX_ROWS = 100_000;
/** Cells of one sheet including empty ones: about 200 MB of memory. */
export const MAX_CELLS = 10_000_000;
