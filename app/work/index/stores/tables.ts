// Derived tables are created at run time, so that the console starts without the extension.

/** The keyword index of a chunk set: FTS5 without content, its rowid the chunk's id. */
export const termsTable = (chunkSetId: number) => `terms_${BigInt(chunkSetId)}`;

export const vectorsTable = (indexId: number) => `vectors_${BigInt(indexId)}`;

export function createTerms(chunkSetId: number): string {
  return `CREATE VIRTUAL TABLE IF NOT EXISTS ${termsTable(chunkSetId)} USING fts5(
    title, headings, body, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2')`;
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
