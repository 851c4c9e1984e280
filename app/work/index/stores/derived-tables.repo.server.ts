import type Database from "better-sqlite3";
import { yieldToEventLoop } from "~/core/background.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { NO_LANGUAGE } from "~/core/language/language-codes";
import { termsTable, termsTablesPattern } from "./tables";

// Derived tables are created at run time and unknown to drizzle; see stores/tables.ts for their names.

const statements = new WeakMap<Database.Database, Map<string, Database.Statement<unknown[], unknown>>>();

function statement(sql: string): Database.Statement<unknown[], unknown> {
  const raw = rawDatabase();
  let cached = statements.get(raw);
  if (!cached) {
    cached = new Map();
    statements.set(raw, cached);
  }
  let prepared = cached.get(sql);
  if (!prepared) {
    prepared = raw.prepare(sql);
    cached.set(sql, prepared);
  }
  return prepared;
}

/**
 * Merge settings of a keyword index: never in a commit, from eight segments of a level on. FTS5 refuses to write with
 * 2,000 segments of all levels together, so that a level with half as many is merged at once.
 */
const MERGE_OPTIONS = { automerge: 0, crisismerge: 1000, usermerge: 8 };

export function createTable(sql: string): void {
  rawDatabase().exec(sql);
}

export function hasTable(table: string): boolean {
  return statement("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table) !== undefined;
}

/** A chunk set's keyword indexes, one for each language it has. */
export function listTermsTables(chunkSetId: number): string[] {
  return statement("SELECT name FROM sqlite_master WHERE type = 'table' AND (name = ? OR name GLOB ?)")
    .pluck()
    .all(termsTable(chunkSetId, NO_LANGUAGE), termsTablesPattern(chunkSetId)) as string[];
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
 * Disables automatic merges, which would run inside commits
 * (https://sqlite.org/fts5.html#the_automerge_configuration_option).
 */
export function disableAutomaticMerges(table: string): void {
  const set = statement(`SELECT v FROM ${table}_config WHERE k = ?`).pluck();
  for (const [option, value] of Object.entries(MERGE_OPTIONS)) {
    if (set.get(option) !== value)
      statement(`INSERT INTO ${table} (${table}, rank) VALUES (?, ?)`).run(option, BigInt(value));
  }
}

/** Minimum segments per level for `mergeTerms`: eight while writing, two at rest. */
export function setMergeThreshold(table: string, segments: 2 | 8): void {
  statement(`INSERT INTO ${table} (${table}, rank) VALUES ('usermerge', ?)`).run(BigInt(segments));
}

/**
 * Merges about this many 4 kB pages of a keyword index, resuming earlier work.
 * @returns whether it changed anything
 */
export function mergeTerms(table: string, pages: number): boolean {
  const changes = statement("SELECT total_changes()").pluck();
  const before = changes.get() as number;
  statement(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`).run(pages);
  // The command itself counts as one change (https://sqlite.org/fts5.html#the_merge_command).
  return (changes.get() as number) - before > 1;
}

export function countTerms(table: string): number {
  return statement(`SELECT count(*) FROM ${table}_docsize`).pluck().get() as number;
}

export function clearTerms(table: string): void {
  statement(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`).run();
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

/** Vectors by scope, counted in the table's own storage: a bit per row. */
export function countBits(table: string): Map<string, number> {
  const counts = new Map<string, number>();
  const rows = statement(`SELECT partition00 AS scope, validity FROM ${table}_chunks`).all();
  for (const { scope, validity } of rows as { scope: string; validity: Uint8Array }[]) {
    let count = counts.get(scope) ?? 0;
    for (let byte of validity) for (; byte; byte &= byte - 1) count += 1;
    counts.set(scope, count);
  }
  return counts;
}

/** Deletes rows of a shadow table before its virtual table is dropped. @returns how many */
function deleteShadowRows(table: string, rows: number): number {
  const raw = rawDatabase();
  raw.unsafeMode(true);
  try {
    return raw.prepare(`DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} LIMIT ?)`).run(rows)
      .changes;
  } finally {
    raw.unsafeMode(false);
  }
}

function dropTable(table: string): void {
  statements.get(rawDatabase())?.clear();
  rawDatabase().exec(`DROP TABLE IF EXISTS ${table}`);
}

/**
 * Drops a virtual table after emptying its shadow tables in batches, since dropping visits every page.
 * @param shadowTables suffixes of its large shadow tables, each with the rows to delete per batch
 */
export async function dropTableInBatches(table: string, shadowTables: Record<string, number>): Promise<void> {
  for (const [ending, rows] of Object.entries(shadowTables)) {
    const name = table + ending;
    if (!hasTable(name)) continue;
    let more = true;
    while (more) {
      more = transaction(() => deleteShadowRows(name, rows) === rows, { durable: false });
      await yieldToEventLoop();
    }
  }
  if (hasTable(table)) transaction(() => dropTable(table));
}
