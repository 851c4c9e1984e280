import { COMMON_WORDS, stem, tokenize, withoutStopWords } from "~/core/language/terms";

export const LEXICAL_DIMENSIONS = 384;
/** Incremented when a text's vector changes: then every chunk is re-embedded in the background. */
export const LEXICAL_VERSION = 1;

const PAIR_WEIGHT = 0.5;
const COMMON_WEIGHT = 0.5;
/** Total weight of a word's letter 4-grams, for typos, compounds and inflections. */
const LETTERS_WEIGHT = 0.6;
const NGRAM_LENGTH = 4;

interface CachedWord {
  stem: string;
  isCommon: boolean;
  vector: Float32Array;
}

const wordCache = new Map<string, CachedWord>();
const MAX_CACHED_WORDS = 8000;

function wordVector(word: string, weight: number): Float32Array {
  const vector = new Float32Array(LEXICAL_DIMENSIONS);
  addSigns(vector, `w${word}`, weight);
  const framed = `^${word}$`;
  const groups = framed.length - NGRAM_LENGTH + 1;
  for (let at = 0; groups > 1 && at < groups; at++) {
    const letters = framed.slice(at, at + NGRAM_LENGTH);
    addSigns(vector, `l${letters}`, (weight * LETTERS_WEIGHT) / Math.sqrt(groups));
  }
  return vector;
}

function lookUpWord(word: string): CachedWord {
  const existing = wordCache.get(word);
  if (existing) return existing;
  const root = stem(word);
  const isCommon = COMMON_WORDS.has(root);
  const entry = { stem: root, isCommon, vector: wordVector(root, isCommon ? COMMON_WEIGHT : 1) };
  if (wordCache.size >= MAX_CACHED_WORDS) wordCache.clear();
  wordCache.set(word, entry);
  return entry;
}

/** A deterministic lexical vector of length 1, from stems, letter groups and word pairs. */
export function embedLexically(text: string): Float32Array {
  const words = tokenize(text).map((token) => token.text);
  const contentWords = new Set(withoutStopWords([...new Set(words)]));
  const stems = new Map<string, { vector: Float32Array; count: number }>();
  const pairs = new Set<string>();
  let before: CachedWord | undefined;
  for (const word of words) {
    const current = contentWords.has(word) ? lookUpWord(word) : undefined;
    if (current) {
      const counted = stems.get(current.stem);
      if (counted) counted.count += 1;
      else stems.set(current.stem, { vector: current.vector, count: 1 });
      // A pair of common words counts as common.
      if (before && !(before.isCommon && current.isCommon)) pairs.add(`${before.stem} ${current.stem}`);
    }
    before = current;
  }
  // In double precision, so that the words' order hardly matters.
  const vector = new Float64Array(LEXICAL_DIMENSIONS);
  for (const pair of pairs) addSigns(vector, pair, PAIR_WEIGHT);
  for (const { vector: one, count } of stems.values()) {
    const weight = 1 + Math.log(count);
    for (let index = 0; index < LEXICAL_DIMENSIONS; index++) {
      (vector[index] as number) += weight * (one[index] as number);
    }
  }
  return normalized(vector);
}

function normalized(vector: Float64Array): Float32Array {
  let square = 0;
  for (const value of vector) square += value * value;
  // A text without words gets a constant vector.
  if (square === 0) return new Float32Array(LEXICAL_DIMENSIONS).fill(1, 0, 1);
  const scale = 1 / Math.sqrt(square);
  return new Float32Array(vector.map((value) => value * scale));
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value;
}

/** Integer hash; https://github.com/skeeto/hash-prospector */
function mix(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return bits ^ (bits >>> 15);
}

/** Weyl sequence (golden ratio). */
const next = (state: number) => (state + 0x9e3779b9) | 0;

/**
 * Adds the weight with a pseudo-random sign per dimension, derived from the name. Dimensions are multiples
 * of 32.
 */
function addSigns(vector: Float32Array | Float64Array, name: string, weight: number): void {
  let state = hash(name);
  for (let at = 0; at < vector.length; at += 32) {
    state = next(state);
    let bits = mix(state);
    for (let index = at; index < at + 32; index++) {
      // Branch-free, since the bits are unpredictable.
      (vector[index] as number) += weight * (1 - ((bits & 1) << 1));
      bits >>>= 1;
    }
  }
}
