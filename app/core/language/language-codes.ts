// What is known of languages without their stemmers and stop words, which are heavy to load.

/** English, and texts of no known language, such as lists of codes: their words are taken for English. */
export const NO_LANGUAGE = "";

/** A language that the detector confuses with another, and the one that stands for both. */
const SAME: Readonly<Record<string, string>> = {
  bs: "sr",
  en: NO_LANGUAGE,
  hr: "sr",
  mr: "hi",
  ms: "id",
  nb: "no",
  ne: "hi",
  nn: "no",
};

export const sameLanguage = (language: string) => SAME[language] ?? language;

/** Languages that write compounds as one word. */
const COMPOUNDING: ReadonlySet<string> = new Set(["da", "de", "et", "fi", "hu", "is", "nl", "no", "sv"]);

export const hasCompounds = (language: string) => COMPOUNDING.has(language);

/** Languages whose marks make other words; a text or query may leave them out. */
const MARKED: ReadonlySet<string> = new Set(["vi"]);

export const hasMarks = (language: string) => MARKED.has(language);
