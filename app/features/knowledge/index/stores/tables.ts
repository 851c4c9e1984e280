// The derived tables: made at run time, so that a machine where the extension can't load still starts and says so.

/** The keyword index of a chunk set: FTS5 without content, its rowid the chunk's id. */
export const termsTable = (chunkSetId: number) => `terms_${BigInt(chunkSetId)}`;

/** The vector index: a vec0 table of sign bits, its key the chunk's id, its partition who sees the document. */
export const vectorsTable = (indexId: number) => `vectors_${BigInt(indexId)}`;

export function createTerms(chunkSetId: number): string {
  return `CREATE VIRTUAL TABLE IF NOT EXISTS ${termsTable(chunkSetId)} USING fts5(
    title, headings, body, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2')`;
}

/** The partitions of a vector index: documents that everyone sees, and those of named members. */
export const SCOPES = { open: "open", named: "named" } as const;

export function createVectors(indexId: number, dimensions: number): string {
  // Sign bits come in whole bytes.
  const bits = Math.ceil(dimensions / 8) * 8;
  return `CREATE VIRTUAL TABLE IF NOT EXISTS ${vectorsTable(indexId)} USING vec0(
    chunk_id integer primary key, scope text partition key, bits bit[${bits}], chunk_size=1024)`;
}
