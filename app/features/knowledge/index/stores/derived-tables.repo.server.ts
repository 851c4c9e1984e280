import type Database from "better-sqlite3";
import { rawDatabase } from "~/core/db.server";

// The tables of the indexes are made at run time, so that drizzle doesn't know them; their names come from stores/tables.ts.

const made = new WeakMap<Database.Database, Map<string, Database.Statement<unknown[], unknown>>>();

/** A statement that is made once for the connection. */
function statement(sql: string): Database.Statement<unknown[], unknown> {
  const raw = rawDatabase();
  let known = made.get(raw);
  if (!known) {
    known = new Map();
    made.set(raw, known);
  }
  let prepared = known.get(sql);
  if (!prepared) {
    prepared = raw.prepare(sql);
    known.set(sql, prepared);
  }
  return prepared;
}

/**
 * How a keyword index merges: never in a commit, in steps from eight segments of a size on. Beyond 1,999 segments FTS5
 * would do it regardless, since it can't have more than 2,000.
 */
const MERGING = { automerge: 0, crisismerge: 1999, usermerge: 8 };

export function createTable(sql: string): void {
  rawDatabase().exec(sql);
}

export function hasTable(table: string): boolean {
  return statement("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table) !== undefined;
}

export function insertTerms(
  table: string,
  chunkId: number,
  row: { title: string; headings: string; body: string },
): void {
  statement(`INSERT INTO ${table} (rowid, title, headings, body) VALUES (?, ?, ?, ?)`).run(
    BigInt(chunkId),
    row.title,
    row.headings,
    row.body,
  );
}

export function deleteTerms(table: string, chunkId: number): void {
  statement(`DELETE FROM ${table} WHERE rowid = ?`).run(BigInt(chunkId));
}

export function hasTerms(table: string, chunkId: number): boolean {
  return statement(`SELECT 1 FROM ${table}_docsize WHERE id = ?`).get(chunkId) !== undefined;
}

/**
 * Leaves FTS5's segments to be merged by `mergeTerms`: by itself it merges inside a commit, for as long as it takes
 * (https://sqlite.org/fts5.html#the_automerge_configuration_option). Changes nothing where it is so already.
 */
export function tameMerges(table: string): void {
  const set = statement(`SELECT v FROM ${table}_config WHERE k = ?`).pluck();
  for (const [option, value] of Object.entries(MERGING)) {
    if (set.get(option) !== value)
      statement(`INSERT INTO ${table} (${table}, rank) VALUES (?, ?)`).run(option, BigInt(value));
  }
}

/** From how many segments of a size on `mergeTerms` merges them: eight while there is writing, two at rest. */
export function mergeFrom(table: string, segments: 2 | 8): void {
  statement(`INSERT INTO ${table} (${table}, rank) VALUES ('usermerge', ?)`).run(BigInt(segments));
}

/**
 * Merges segments of a keyword index, by about so many pages of what comes out (4 kB each): it continues where the last
 * call or the last process ended.
 * @returns whether there was anything to merge
 */
export function mergeTerms(table: string, pages: number): boolean {
  const changes = statement("SELECT total_changes()").pluck();
  const before = changes.get() as number;
  statement(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`).run(pages);
  // The command itself counts as one (https://sqlite.org/fts5.html#the_merge_command).
  return (changes.get() as number) - before > 1;
}

/** Ids in a keyword index, a page of them. */
export function listTermIds(table: string, after: number, limit: number): number[] {
  return statement(`SELECT id FROM ${table}_docsize WHERE id > ? ORDER BY id LIMIT ?`)
    .all(after, limit)
    .map((row) => (row as { id: number }).id);
}

export function insertBits(table: string, chunkId: number, scope: string, bits: Uint8Array): void {
  statement(`INSERT INTO ${table} (chunk_id, scope, bits) VALUES (?, ?, vec_bit(?))`).run(
    BigInt(chunkId),
    scope,
    bits,
  );
}

export function deleteBits(table: string, chunkId: number): void {
  statement(`DELETE FROM ${table} WHERE chunk_id = ?`).run(BigInt(chunkId));
}

/** Ids in a vector index with their scope, a page of them; from the tables below, without the extension. */
export function listBits(table: string, after: number, limit: number): { id: number; scope: string }[] {
  return statement(
    `SELECT r.rowid AS id, c.partition00 AS scope FROM ${table}_rowids r JOIN ${table}_chunks c ON c.chunk_id = r.chunk_id
     WHERE r.rowid > ? ORDER BY r.rowid LIMIT ?`,
  ).all(after, limit) as { id: number; scope: string }[];
}

/**
 * Deletes some rows of a table below a virtual one that is about to be dropped; SQLite guards those tables otherwise.
 *
 * @returns how many
 */
export function thinOut(table: string, rows: number): number {
  const raw = rawDatabase();
  raw.unsafeMode(true);
  try {
    return raw.prepare(`DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} LIMIT ?)`).run(rows)
      .changes;
  } finally {
    raw.unsafeMode(false);
  }
}

export function dropTable(table: string): void {
  made.get(rawDatabase())?.clear();
  rawDatabase().exec(`DROP TABLE IF EXISTS ${table}`);
}
