/** What is kept of a document's text, in characters: about 1,500 printed pages. */
export const MAX_TEXT = 5_000_000;

/** Pages, slides or sheets that are read. */
export const MAX_PAGES = 5_000;

/** How long a piece of stored text is, about, in characters. */
export const PIECE_LENGTH = 50_000;

/** What a file may unpack to, in bytes: of an Office file the parts that are read. */
export const MAX_UNPACKED = 200_000_000;
/** Parts in an Office file. */
export const MAX_PARTS = 10_000;
/** An honest text packs to a fortieth; deflate reaches a thousandth. Judged from `RATIO_FROM` bytes on. */
export const MAX_RATIO = 300;
export const RATIO_FROM = 20_000_000;

/** What is read of one sheet, in bytes of its XML, and of all sheets in rows. */
export const MAX_SHEET = 30_000_000;
export const MAX_ROWS = 100_000;
/** From its first cell to the last row and column of one sheet, empty ones too: about 200 MB of memory. */
export const MAX_CELLS = 10_000_000;
