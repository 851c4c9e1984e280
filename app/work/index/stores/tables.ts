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
