import { readInThread } from "~/core/read-pool.server";

/** Bytes of a table or an index, with the table that it belongs to. */
export interface ObjectSize {
  table: string;
  bytes: number;
}

export interface GenerationRow {
  id: number;
  state: string;
  model: string | null;
  chunkSetId: number;
  documents: number;
  indexed: number;
  passages: number;
}

// https://www.sqlite.org/dbstat.html: `aggregate` sums the pages of each b-tree. It reads every page of the file.
const SIZES = `SELECT coalesce(s.tbl_name, d.name), sum(d.pgsize) FROM dbstat d
  LEFT JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY 1`;
const GENERATIONS = `SELECT i.id, i.state, s.model, i.chunk_set_id, i.done, i.total,
    (SELECT count(DISTINCT c.document_id) FROM chunks c WHERE c.chunk_set_id = i.chunk_set_id)
  FROM search_indexes i LEFT JOIN embedding_spaces s ON s.id = i.space_id
  WHERE i.org_id = ? AND i.state <> 'retired' ORDER BY i.id DESC`;
const COUNTS = `SELECT (SELECT count(*) FROM documents WHERE org_id = ?),
  (SELECT count(*) FROM chunks JOIN chunk_sets s ON s.id = chunk_set_id WHERE s.org_id = ?)`;

/** Measures the database on a thread, since it reads the whole file. */
export async function measureDatabase(orgId: string) {
  const [sizes = [], generations = [], [counts = []] = []] = await readInThread("long", [
    { sql: SIZES, params: [] },
    { sql: GENERATIONS, params: [orgId] },
    { sql: COUNTS, params: [orgId, orgId] },
  ]);
  return {
    sizes: sizes.map(([table, bytes]): ObjectSize => ({ table: String(table), bytes: Number(bytes) })),
    generations: generations.map(
      ([id, state, model, chunkSetId, indexed, passages, documents]): GenerationRow => ({
        id: Number(id),
        state: String(state),
        model: model === null ? null : String(model),
        chunkSetId: Number(chunkSetId),
        documents: Number(documents),
        indexed: Number(indexed),
        passages: Number(passages),
      }),
    ),
    documents: Number(counts[0] ?? 0),
    passages: Number(counts[1] ?? 0),
  };
}
