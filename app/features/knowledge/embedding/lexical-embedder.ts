/** Of a vector of the built-in embedder. */
export const LEXICAL_DIMENSIONS = 384;

/** Grows when its vectors change: those of another version can't be compared with them. */
export const LEXICAL_VERSION = 1;

/** A vector of length 1 made of a text's words, without any model. */
export function embedLexically(text: string): Float32Array {
  const vector = new Float32Array(LEXICAL_DIMENSIONS);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 2166136261;
    for (let index = 0; index < word.length; index++)
      hash = Math.imul(hash ^ word.charCodeAt(index), 16777619);
    const place = (hash >>> 1) % LEXICAL_DIMENSIONS;
    vector[place] = (vector[place] ?? 0) + (hash & 1 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  if (length === 0) vector[0] = 1;
  else for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] ?? 0) / length;
  return vector;
}
