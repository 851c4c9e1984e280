import { signBits, toBlob } from "../../index/stores/sign-bits";
import { SCOPES, vectorsTable } from "../../index/stores/tables";
import type { VectorHit } from "../../index/stores/vector-store";
import { type Condition, isFiltered, permitted, takePermitted } from "./permitted";
import type { Reader } from "./reader";
import { nearestByBits } from "./scan-bits";
import type { SearchTask } from "./search-task";

/** Up to this many chunks an exact scan is cheaper than the coarse search. */
const EXACT = 2000;
/** Candidates of the coarse search by sign bits: a minimum, and a number per requested chunk. */
const COARSE = 250;
const OVERSAMPLING = 4;
/** Multiplies the candidates of a filtered search. */
const WIDER = 4;

/** The chunks of the index that may be found; joined from the few documents to their chunks. */
const fromDocuments = (task: SearchTask) => `documents d CROSS JOIN chunks c
  ON c.document_id = d.id AND c.chunk_set_id = ${BigInt(task.index.chunkSetId)}`;

/** Exact similarities without an access check, best first. */
function compare(
  reader: Reader,
  task: SearchTask,
  vector: Float32Array,
  chunkIds: readonly number[],
): VectorHit[] {
  return reader
    .statement(
      `SELECT c.id AS chunkId, 1 - vec_distance_cosine(e.vector, ?) AS similarity
       FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value
         CROSS JOIN embeddings e ON e.space_id = ? AND e.hash = c.hash
       ORDER BY similarity DESC`,
    )
    .all(toBlob(vector), JSON.stringify(chunkIds), task.index.space?.id) as VectorHit[];
}

/** Permitted chunks by exact similarity, best first. */
function rescore(
  reader: Reader,
  task: SearchTask,
  vector: Float32Array,
  chunkIds: readonly number[],
  limit: number,
): VectorHit[] {
  return takePermitted(reader, task, compare(reader, task, vector, chunkIds), limit);
}

/** All permitted chunks; undefined if too many for an exact scan. */
function listPermittedChunks(reader: Reader, task: SearchTask): number[] | undefined {
  const size = reader
    .statement("SELECT count(*) FROM (SELECT 1 FROM index_entries WHERE index_id = ? LIMIT ?)")
    .pluck()
    .get(task.index.id, EXACT + 1) as number;
  if (size > EXACT && !isFiltered(task)) return undefined;
  const { sql, values } = permitted(task);
  const ids = reader
    .statement(
      `SELECT c.id FROM ${fromDocuments(task)} JOIN index_entries i ON i.index_id = ? AND i.chunk_id = c.id
       WHERE ${sql} LIMIT ?`,
    )
    .pluck()
    .all(task.index.id, ...values, EXACT + 1) as number[];
  return ids.length > EXACT ? undefined : ids;
}

function allowedChunks(reader: Reader, task: SearchTask, { sql, values }: Condition): ReadonlySet<number> {
  const ids = reader.statement(`SELECT c.id FROM ${fromDocuments(task)} WHERE ${sql}`).pluck();
  return new Set(ids.all(...values) as number[]);
}

/** Permitted chunks of restricted documents. */
function restrictedChunks(reader: Reader, task: SearchTask, table: string): ReadonlySet<number> {
  const some = reader.statement(`SELECT 1 FROM ${table}_chunks WHERE partition00 = ? LIMIT 1`).pluck();
  if (some.get(SCOPES.named) === undefined) return new Set();
  const { sql, values } = permitted(task);
  return allowedChunks(reader, task, { sql: `${sql} AND d.visibility = 'named'`, values });
}

/**
 * Nearest by sign bits among public and visible restricted documents.
 * @param open the filter for public documents
 */
function coarse(
  reader: Reader,
  task: SearchTask,
  vector: Float32Array,
  restricted: ReadonlySet<number>,
  open?: ReadonlySet<number>,
) {
  const table = vectorsTable(task.index.id);
  const bits = signBits(vector);
  return (count: number): number[] => [
    ...nearestByBits(reader, { table, scope: SCOPES.open }, bits, count, open),
    ...(restricted.size > 0
      ? nearestByBits(reader, { table, scope: SCOPES.named }, bits, count, restricted)
      : []),
  ];
}

export function searchVectors(
  reader: Reader,
  task: SearchTask,
  vector: Float32Array,
  limit: number,
): VectorHit[] {
  const chunks = listPermittedChunks(reader, task);
  if (chunks) return compare(reader, task, vector, chunks).slice(0, limit);
  const candidates = Math.max(COARSE, limit * OVERSAMPLING);
  const restricted = restrictedChunks(reader, task, vectorsTable(task.index.id));
  if (isFiltered(task)) {
    // Listing all permitted chunks is slower than a larger candidate set.
    const hits = rescore(
      reader,
      task,
      vector,
      coarse(reader, task, vector, restricted)(WIDER * candidates),
      candidates,
    );
    if (hits.length === candidates) return hits.slice(0, limit);
  }
  const open = isFiltered(task) ? allowedChunks(reader, task, permitted(task)) : undefined;
  const nearest = coarse(reader, task, vector, restricted, open);
  for (let count = candidates; ; count *= 8) {
    const found = nearest(count);
    const hits = rescore(reader, task, vector, found, limit);
    // Outdated chunks stay in the index until removed and must not displace others.
    if (hits.length >= limit || found.length < count) return hits;
  }
}
