import { eld } from "eld/small";
import { NO_LANGUAGE, sameLanguage } from "./language-codes";

/** Characters that are enough to tell a language. */
const SAMPLE = 400;
/** Share of a text's letters that decides its script. */
const MOST = 0.3;
/** Fewer letters are a code or a name, which has no language. */
const FEW = 12;

/** Scripts that one language uses; the detector isn't needed, and confuses them in short texts. */
const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ["ja", /[\p{sc=Hiragana}\p{sc=Katakana}]/gu],
  ["ko", /\p{sc=Hangul}/gu],
  ["zh", /\p{sc=Han}/gu],
  ["th", /\p{sc=Thai}/gu],
  ["lo", /\p{sc=Lao}/gu],
  ["km", /\p{sc=Khmer}/gu],
  ["my", /\p{sc=Myanmar}/gu],
  ["el", /\p{sc=Greek}/gu],
  ["he", /\p{sc=Hebrew}/gu],
  ["hi", /\p{sc=Devanagari}/gu],
];

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

function byScript(text: string, letters: number): string | undefined {
  // Kana shows Japanese in a text that is mostly Han.
  if (count(text, /[\p{sc=Hiragana}\p{sc=Katakana}]/gu) > 0.1 * letters) return "ja";
  return SCRIPTS.find(([, pattern]) => count(text, pattern) > MOST * letters)?.[0];
}

function detect(text: string): { language: string; isSure: boolean } {
  const sample = text.slice(0, SAMPLE);
  const letters = count(sample, /\p{L}/gu);
  if (letters === 0) return { language: NO_LANGUAGE, isSure: false };
  const script = byScript(sample, letters);
  if (script) return { language: script, isSure: true };
  const result = eld.detect(sample);
  return {
    language: sameLanguage(result.language),
    isSure: letters >= FEW && result.language !== "" && result.isReliable(),
  };
}

/**
 * The languages of a document's chunks, as ISO 639-1 codes. A chunk that doesn't show its own, such as a list of names,
 * has the language of most others.
 */
export function detectLanguages(texts: readonly string[]): string[] {
  const found = texts.map(detect);
  const sizes = new Map<string, number>();
  for (const [at, { language, isSure }] of found.entries())
    if (isSure) sizes.set(language, (sizes.get(language) ?? 0) + (texts[at]?.length ?? 0));
  const [main] = [...sizes].sort((a, b) => b[1] - a[1])[0] ?? [NO_LANGUAGE];
  return found.map(({ language, isSure }) => (isSure ? language : main));
}
