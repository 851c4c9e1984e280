import { sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { messageText } from "./list.repo.server";

/** FTS5 tables of the search, whose rows `find_entries` names. */
export const FIND_TABLES = ["find_texts", "find_names"] as const;
type Table = (typeof FIND_TABLES)[number];

const command = (tx: Db, table: Table, name: string, value: number) =>
  tx.run(
    sql`INSERT INTO ${sql.identifier(table)} (${sql.identifier(table)}, rank) VALUES (${name}, cast(${value} as integer))`,
  );

/** FTS5's defaults of what it merges within a commit: up to 0.4 s here, above all of what is mostly deleted. */
const MERGES = { automerge: 4, crisismerge: 16, deletemerge: 10 } as const;
const NO_MERGES = { automerge: 0, crisismerge: 1000, deletemerge: 0 } as const;

export function setMerges(tx: Db, table: Table, isOn: boolean): void {
  for (const [name, value] of Object.entries(isOn ? MERGES : NO_MERGES)) command(tx, table, name, value);
}

export const lacksMerges = (tx: Db, table: Table): boolean =>
  tx.get(
    sql`SELECT 1 FROM ${sql.identifier(`${table}_config`)} WHERE k = 'deletemerge' AND cast(v as integer) = 0`,
  ) !== undefined;

/**
 * Merges segments, as many pages as given.
 * @param pages negative to begin with all segments, positive to go on with them
 * @returns false if there was nothing to do, which FTS5 counts as a single change
 */
export function mergePages(tx: Db, table: Table, pages: number): boolean {
  const changes = () => tx.get<{ n: number }>(sql`SELECT total_changes() AS n`).n;
  const before = changes();
  command(tx, table, "merge", pages);
  return changes() - before > 1;
}

export const hasOutdated = (tx: Db): boolean =>
  tx.get(sql`SELECT 1 FROM find_entries WHERE version < 2 LIMIT 1`) !== undefined;

/** Pages merged for each entry, which keeps the number of segments small. */
const PAGES = 4;

/** Indexes the newest outdated entry again. @returns false if there was none */
export function indexNewest(tx: Db): boolean {
  const entry = tx.get<{ id: number; kind: string } | undefined>(
    sql`SELECT id, kind FROM find_entries WHERE version < 2 ORDER BY id DESC LIMIT 1`,
  );
  if (!entry) return false;
  const { id, kind } = entry;
  const table = kind === "conversation" || kind === "document" ? "find_names" : "find_texts";
  tx.run(sql`DELETE FROM ${sql.identifier(table)} WHERE rowid = ${id}`);
  if (table === "find_names")
    tx.run(sql`INSERT INTO find_names (rowid, name) SELECT e.id, fold_text(coalesce(c.title, d.name))
      FROM find_entries e LEFT JOIN conversations c ON e.kind = 'conversation' AND c.id = e.source
      LEFT JOIN documents d ON e.kind = 'document' AND d.id = e.source WHERE e.id = ${id}`);
  else
    tx.run(sql`INSERT INTO find_texts (rowid, body) SELECT e.id, find_terms(${messageText})
      FROM find_entries e JOIN messages ON messages.id = e.source WHERE e.id = ${id}`);
  tx.run(sql`UPDATE find_entries SET version = 2 WHERE id = ${id}`);
  command(tx, table, "merge", PAGES);
  return true;
}
