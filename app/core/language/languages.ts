import { stopwords as arabic } from "@orama/stopwords/arabic";
import { stopwords as armenian } from "@orama/stopwords/armenian";
import { stopwords as bulgarian } from "@orama/stopwords/bulgarian";
import { stopwords as danish } from "@orama/stopwords/danish";
import { stopwords as dutch } from "@orama/stopwords/dutch";
import { stopwords as english } from "@orama/stopwords/english";
import { stopwords as finnish } from "@orama/stopwords/finnish";
import { stopwords as french } from "@orama/stopwords/french";
import { stopwords as german } from "@orama/stopwords/german";
import { stopwords as greek } from "@orama/stopwords/greek";
import { stopwords as hungarian } from "@orama/stopwords/hungarian";
import { stopwords as hindi } from "@orama/stopwords/indian";
import { stopwords as indonesian } from "@orama/stopwords/indonesian";
import { stopwords as irish } from "@orama/stopwords/irish";
import { stopwords as italian } from "@orama/stopwords/italian";
import { stopwords as lithuanian } from "@orama/stopwords/lithuanian";
import { stopwords as norwegian } from "@orama/stopwords/norwegian";
import { stopwords as portuguese } from "@orama/stopwords/portuguese";
import { stopwords as romanian } from "@orama/stopwords/romanian";
import { stopwords as russian } from "@orama/stopwords/russian";
import { stopwords as serbian } from "@orama/stopwords/serbian";
import { stopwords as spanish } from "@orama/stopwords/spanish";
import { stopwords as swedish } from "@orama/stopwords/swedish";
import { stopwords as tamil } from "@orama/stopwords/tamil";
import { stopwords as turkish } from "@orama/stopwords/turkish";
import { stopwords as ukrainian } from "@orama/stopwords/ukrainian";
import { createStemmer } from "multilingual-stemmer";
import { foldWord } from "./fold";
import { hasMarks } from "./language-codes";

const STOP_LISTS: Readonly<Record<string, readonly string[]>> = {
  ar: arabic,
  bg: bulgarian,
  da: danish,
  de: german,
  el: greek,
  en: english,
  es: spanish,
  fi: finnish,
  fr: french,
  ga: irish,
  hi: hindi,
  hu: hungarian,
  hy: armenian,
  id: indonesian,
  it: italian,
  lt: lithuanian,
  nl: dutch,
  no: norwegian,
  pt: portuguese,
  ro: romanian,
  ru: russian,
  sr: serbian,
  sv: swedish,
  ta: tamil,
  tr: turkish,
  uk: ukrainian,
};

/** Snowball's languages (https://snowballstem.org/algorithms/), by ISO 639-1 code. */
const STEMMED = [
  ...([
    "ar",
    "ca",
    "cs",
    "da",
    "de",
    "el",
    "en",
    "es",
    "et",
    "eu",
    "fa",
    "fi",
    "fr",
    "ga",
    "hi",
    "hu",
  ] as const),
  ...(["hy", "id", "it", "lt", "nl", "no", "pl", "pt", "ro", "ru", "sr", "sv", "ta", "tr", "yi"] as const),
];

const HEBREW_PREFIX = /^[והבלמשכ](?=\p{L}{3})/u;
const HEBREW_ENDING = /(?<=\p{L}{3})(?:ים|ות|יה)$/u;

/** No kept library stems Hebrew: one prefix, such as the article, and the plural's ending are removed. */
const stemHebrew = (word: string) => word.replace(HEBREW_PREFIX, "").replace(HEBREW_ENDING, "");

const LONGEST_STEMMED = 64;

export interface Language {
  /** The stem of a lower-case word, folded. */
  stem(word: string): string;
  isStopWord(word: string): boolean;
}

const MAX_CACHED = 20_000;

function makeLanguage(code: string): Language {
  const stemmed = STEMMED.find((one) => one === code);
  const snowball = stemmed && createStemmer(stemmed);
  const reduce = snowball ?? (code === "he" ? stemHebrew : undefined);
  const fold = hasMarks(code) ? (word: string) => word : foldWord;
  const stems = new Map<string, string>();
  const stopWords = new Set((STOP_LISTS[code] ?? []).map((word) => foldWord(word.toLowerCase())));
  return {
    stem(word) {
      const cached = stems.get(word);
      if (cached !== undefined) return cached;
      // An identifier has no ending.
      const isWord = word.length <= LONGEST_STEMMED && !/\d/.test(word);
      const reduced = reduce && isWord ? reduce(word) : word;
      const result = fold(reduced) || fold(word);
      if (stems.size >= MAX_CACHED) stems.clear();
      stems.set(word, result);
      return result;
    },
    isStopWord: (word) => stopWords.has(foldWord(word)),
  };
}

const languages = new Map<string, Language>();

export function languageOf(code: string): Language {
  let language = languages.get(code);
  if (!language) {
    language = makeLanguage(code);
    languages.set(code, language);
  }
  return language;
}
