import { NO_LANGUAGE } from "~/core/language/language-codes";

// Derived tables are created at run time, so that the console starts without the extension.

/**
 * The keyword index of a chunk set's texts in one language: FTS5 without content, its rowid the chunk's id. A table for
 * each language keeps the statistics of its words apart. The one of no language has no ending.
 */
export const termsTable = (chunkSetId: number, language: string) =>
  language === NO_LANGUAGE
    ? `terms_${BigInt(chunkSetId)}`
    : `terms_${BigInt(chunkSetId)}_${language.replace(/[^a-z]/g, "")}`;

/** A GLOB pattern of a chunk set's tables with a language. */
export const termsTablesPattern = (chunkSetId: number) => `terms_${BigInt(chunkSetId)}_[a-z][a-z]`;

export const vectorsTable = (indexId: number) => `vectors_${BigInt(indexId)}`;

/** Terms of a language are stemmed before; others are taken for English, as indexes had it before version 3. */
const TOKENIZERS = {
  none: "porter unicode61 remove_diacritics 2",
  language: "unicode61 remove_diacritics 0 categories ''L* N* M* Co''",
};

export function createTerms(chunkSetId: number, language: string): string {
  const tokenizer = language === NO_LANGUAGE ? TOKENIZERS.none : TOKENIZERS.language;
  return `CREATE VIRTUAL TABLE IF NOT EXISTS ${termsTable(chunkSetId, language)} USING fts5(
    title, headings, body, content='', contentless_delete=1, tokenize='${tokenizer}')`;
}

export const SCOPES = { open: "open", named: "named" } as const;

export function createVectors(indexId: number, dimensions: number): string {
  // Sign bits are stored in whole bytes.
  const bits = Math.ceil(dimensions / 8) * 8;
  return `CREATE VIRTUAL TABLE IF NOT EXISTS ${vectorsTable(indexId)} USING vec0(
    chunk_id integer primary key, scope text partition key, bits bit[${bits}], chunk_size=1024)`;
}

/** Sign bits of a vector, as vec_quantize_binary makes them, for any dimension. */
export function signBits(vector: Float32Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(vector.length / 8));
  for (let index = 0; index < vector.length; index++) {
    if ((vector[index] ?? 0) > 0) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  }
  return bits;
}

export function toBlob(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Copied, since a blob may be misaligned. */
export function fromBlob(blob: Uint8Array): Float32Array {
  return new Float32Array(blob.slice().buffer);
}
