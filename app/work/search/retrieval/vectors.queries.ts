import { SCOPES, toBlob } from "~/work/index/stores/tables";
import type { VectorHit } from "~/work/index/stores/vector-store";
import { permitted } from "./chunks.queries";
import type { Reader, SearchTask } from "./search-task";
import { statement } from "./statements";

/** The chunks of the index that may be found; joined from the few documents to their chunks. */
const fromDocuments = (task: SearchTask) => `documents d CROSS JOIN chunks c
  ON c.document_id = d.id AND c.chunk_set_id = ${BigInt(task.index.chunkSetId)}`;

export function compareVectors(
  reader: Reader,
  task: SearchTask,
  vector: Float32Array,
  chunkIds: readonly number[],
): VectorHit[] {
  return statement(
    reader,
    `SELECT c.id AS chunkId, 1 - vec_distance_cosine(e.vector, ?) AS similarity
       FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value
         CROSS JOIN embeddings e ON e.space_id = ? AND e.hash = c.hash
       ORDER BY similarity DESC`,
  ).all(toBlob(vector), JSON.stringify(chunkIds), task.index.space?.id) as VectorHit[];
}

export function countEntries(reader: Reader, task: SearchTask, max: number): number {
  return statement(reader, "SELECT count(*) FROM (SELECT 1 FROM index_entries WHERE index_id = ? LIMIT ?)")
    .pluck()
    .get(task.index.id, max) as number;
}

export function listPermittedEntries(reader: Reader, task: SearchTask, max: number): number[] {
  const { sql, values } = permitted(task);
  return statement(
    reader,
    `SELECT c.id FROM ${fromDocuments(task)} JOIN index_entries i ON i.index_id = ? AND i.chunk_id = c.id
     WHERE ${sql} LIMIT ?`,
  )
    .pluck()
    .all(task.index.id, ...values, max) as number[];
}

export function listPermitted(reader: Reader, task: SearchTask, condition = "1"): ReadonlySet<number> {
  const { sql, values } = permitted(task);
  const ids = statement(
    reader,
    `SELECT c.id FROM ${fromDocuments(task)} WHERE ${sql} AND ${condition}`,
  ).pluck();
  return new Set(ids.all(...values) as number[]);
}

export function listRestricted(reader: Reader, task: SearchTask, table: string): ReadonlySet<number> {
  const first = statement(reader, `SELECT 1 FROM ${table}_chunks WHERE partition00 = ? LIMIT 1`).pluck();
  if (first.get(SCOPES.named) === undefined) return new Set();
  return listPermitted(reader, task, "d.visibility = 'named'");
}

export function readVectors(reader: Reader, task: SearchTask, chunkIds: readonly number[]): Uint8Array[] {
  return statement(
    reader,
    `SELECT e.vector FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value
       CROSS JOIN embeddings e ON e.space_id = ? AND e.hash = c.hash`,
  )
    .pluck()
    .all(JSON.stringify(chunkIds), task.index.space?.id) as Uint8Array[];
}

/** Vectors of a space, spread evenly over the time in which they were added. */
export function listSampleVectors(reader: Reader, spaceId: number, count: number): Uint8Array[] {
  const bounds = statement(
    reader,
    `SELECT (SELECT min(id) FROM embeddings) AS first, (SELECT max(id) FROM embeddings) AS last`,
  ).get() as { first: number | null; last: number | null };
  const { first, last } = bounds;
  if (first === null || last === null) return [];
  const near = statement(
    reader,
    `SELECT id, vector FROM (SELECT id, space_id, vector FROM embeddings WHERE id >= ? ORDER BY id LIMIT 100)
     WHERE space_id = ? LIMIT 1`,
  );
  const found = new Map<number, Uint8Array>();
  for (let at = 0; at < count; at++) {
    const row = near.get(first + Math.floor(((last - first) * at) / count), spaceId) as
      | { id: number; vector: Uint8Array }
      | undefined;
    if (row) found.set(row.id, row.vector);
  }
  return [...found.values()];
}

/** The vectors that a vec0 table has space for: at least those it holds. */
export function countVectorSlots(reader: Reader, table: string): number {
  const count = statement(reader, `SELECT coalesce(sum(size), 0) FROM ${table}_chunks`).pluck();
  return count.get() as number;
}

/** A chunk of a vec0 table's storage (sqlite-vec 0.1.9, `_chunks` and `_vector_chunks00`). */
export interface StoredBits {
  validity: Uint8Array;
  /** int64 keys. */
  rowids: Uint8Array;
  vectors: Uint8Array;
}

export function readBits(reader: Reader, table: string, scope: string): Iterable<StoredBits> {
  return statement(
    reader,
    `SELECT c.validity, c.rowids, v.vectors FROM ${table}_chunks c
     JOIN ${table}_vector_chunks00 v ON v.rowid = c.chunk_id WHERE c.partition00 = ?`,
  ).iterate(scope) as Iterable<StoredBits>;
}
