// https://www.sqlite.org/dbstat.html: `aggregate` sums a b-tree's pages, reading the whole file.
const SIZES = `SELECT coalesce(s.tbl_name, d.name), sum(d.pgsize) FROM dbstat d
  LEFT JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY 1`;
const GENERATIONS = `SELECT i.id, i.state,
    CASE s.kind WHEN 'lexical' THEN 'Built-in lexical embedder' ELSE s.model END, i.chunk_set_id,
    (SELECT count(DISTINCT c.document_id) FROM chunks c WHERE c.chunk_set_id = i.chunk_set_id),
    (SELECT count(*) FROM chunks c WHERE c.chunk_set_id = i.chunk_set_id)
  FROM search_indexes i LEFT JOIN embedding_spaces s ON s.id = i.space_id
  WHERE i.org_id = ? AND i.state <> 'retired' ORDER BY i.id DESC`;
const COUNTS = `SELECT (SELECT count(*) FROM documents WHERE org_id = ?),
  (SELECT count(*) FROM chunks JOIN chunk_sets s ON s.id = chunk_set_id WHERE s.org_id = ?)`;

/** For a read thread. */
export const storageQueries = (orgId: string) => [
  { sql: SIZES, params: [] },
  { sql: GENERATIONS, params: [orgId] },
  { sql: COUNTS, params: [orgId, orgId] },
];

/** @param rows of `storageQueries` */
export function readStorageRows([sizes = [], generations = [], [counts = []] = []]: unknown[][][]) {
  return {
    sizes: sizes.map(([table, bytes]) => ({ table: String(table), bytes: Number(bytes) })),
    generations: generations.map(([id, state, model, chunkSetId, documents, passages]) => ({
      id: Number(id),
      state: String(state),
      // An index of keywords only has no model.
      model: model === null ? null : String(model),
      chunkSetId: Number(chunkSetId),
      documents: Number(documents),
      passages: Number(passages),
    })),
    documents: Number(counts[0] ?? 0),
    passages: Number(counts[1] ?? 0),
  };
}

type StorageRows = ReturnType<typeof readStorageRows>;
/** Bytes of a table with its indexes. */
export type ObjectSize = StorageRows["sizes"][number];
export type GenerationRow = StorageRows["generations"][number];
