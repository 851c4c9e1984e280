/** What is kept of a document's text, in characters: about 1,500 printed pages. */
export const MAX_TEXT = 5_000_000;

/** Pages, slides or sheets that are read. */
export const MAX_PAGES = 5_000;

/** How long a piece of stored text is, about, in characters. */
export const PIECE_LENGTH = 50_000;
