/** A consonant run followed by a vowel run; `y` is a vowel after a consonant. */
const CONSONANT = "[^aeiou]";
const VOWEL = "[aeiouy]";
const CONSONANTS = `${CONSONANT}[^aeiouy]*`;
const VOWELS = `${VOWEL}[aeiou]*`;

/** The word's measure, in Porter's terms: how many vowel-consonant sequences it has. */
const ABOVE_0 = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}`);
const IS_1 = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}(?:${VOWELS})?$`);
const ABOVE_1 = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}${VOWELS}${CONSONANTS}`);
const HAS_VOWEL = new RegExp(`^(?:${CONSONANTS})?${VOWEL}`);
/** Consonant, vowel, consonant at the end, the last of them not w, x or y. */
const SHORT_END = new RegExp(`^${CONSONANTS}${VOWEL}[^aeiouwxy]$`);

const STEP_2: Record<string, string> = {
  ational: "ate",
  tional: "tion",
  enci: "ence",
  anci: "ance",
  izer: "ize",
  bli: "ble",
  alli: "al",
  entli: "ent",
  eli: "e",
  ousli: "ous",
  ization: "ize",
  ation: "ate",
  ator: "ate",
  alism: "al",
  iveness: "ive",
  fulness: "ful",
  ousness: "ous",
  aliti: "al",
  iviti: "ive",
  biliti: "ble",
  logi: "log",
};
const STEP_3: Record<string, string> = {
  icate: "ic",
  ative: "",
  alize: "al",
  iciti: "ic",
  ical: "ic",
  ful: "",
  ness: "",
};

const longestFirst = (endings: string[]) => [...endings].sort((a, b) => b.length - a.length).join("|");
const END_2 = new RegExp(`(?:${longestFirst(Object.keys(STEP_2))})$`);
const END_3 = new RegExp(`(?:${longestFirst(Object.keys(STEP_3))})$`);
const END_4 = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|ou|(?<=[st])ion)$/;

function dropPlural(word: string): string {
  if (/(?:ss|i)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function dropTense(word: string): string {
  if (word.endsWith("eed")) return ABOVE_0.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const ending = /(?:ed|ing)$/.exec(word);
  if (!ending) return word;
  const stem = word.slice(0, ending.index);
  if (!HAS_VOWEL.test(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (/([^aeiouylsz])\1$/.test(stem)) return stem.slice(0, -1);
  return SHORT_END.test(stem) ? `${stem}e` : stem;
}

function replaceEnding(word: string, endings: RegExp, by: Record<string, string>): string {
  const found = endings.exec(word);
  if (!found) return word;
  const stem = word.slice(0, found.index);
  return ABOVE_0.test(stem) ? stem + (by[found[0]] ?? "") : word;
}

function dropLast(word: string): string {
  const found = END_4.exec(word);
  if (!found) return word;
  const stem = word.slice(0, found.index);
  return ABOVE_1.test(stem) ? stem : word;
}

function tidyEnd(word: string): string {
  let result = word;
  if (result.endsWith("e")) {
    const stem = result.slice(0, -1);
    if (ABOVE_1.test(stem) || (IS_1.test(stem) && !SHORT_END.test(stem))) result = stem;
  }
  return result.endsWith("ll") && ABOVE_1.test(result) ? result.slice(0, -1) : result;
}

/**
 * The stem of a lower-case word by Porter's algorithm, as SQLite's FTS5 stems; other words than English ones of plain
 * letters stay as they are. M. F. Porter, An algorithm for suffix stripping, Program 14 (1980).
 */
export function stem(word: string): string {
  if (word.length < 3 || word.length > 64 || !/^[a-z]+$/.test(word)) return word;
  // A first y is a consonant, wherever the patterns would take it for a vowel.
  const isY = word.startsWith("y");
  let result = dropTense(dropPlural(isY ? `Y${word.slice(1)}` : word));
  if (result.endsWith("y") && HAS_VOWEL.test(result.slice(0, -1))) result = `${result.slice(0, -1)}i`;
  result = replaceEnding(result, END_2, STEP_2);
  result = replaceEnding(result, END_3, STEP_3);
  result = tidyEnd(dropLast(result));
  return isY ? `y${result.slice(1)}` : result;
}
