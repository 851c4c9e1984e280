/** English, and texts of no known language, such as lists of codes: their words are taken for English. */
export const NO_LANGUAGE = "";
