import { stemmer } from "stemmer";

/** Texts share most of their words: a stem is computed once. */
const cache = new Map<string, string>();
const MAX_CACHED = 20_000;

/**
 * The stem of a lower-case word by Porter's algorithm, as SQLite's FTS5 stems; other words than English ones of plain
 * letters stay as they are. M. F. Porter, An algorithm for suffix stripping, Program 14 (1980).
 */
export function stem(word: string): string {
  const cached = cache.get(word);
  if (cached !== undefined) return cached;
  if (word.length < 3 || word.length > 64 || !/^[a-z]+$/.test(word)) return word;
  const result = stemmer(word);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(word, result);
  return result;
}
