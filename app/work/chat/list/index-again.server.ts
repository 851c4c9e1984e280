import { sql } from "drizzle-orm";
import { runInBackground } from "~/core/background.server";
import { type Db, db, runInBatches } from "~/core/db.server";
import { messageText } from "./list.repo.server";

// Entries of the search from before an upgrade have texts as they are written; the triggers write folded ones. Until an
// entry is indexed again, it is found by its words as they are written.

const TABLES = ["find_texts", "find_names"] as const;
type Table = (typeof TABLES)[number];

const command = (tx: Db, table: Table, name: string, value: number) =>
  tx.run(
    sql`INSERT INTO ${sql.identifier(table)} (${sql.identifier(table)}, rank) VALUES (${name}, cast(${value} as integer))`,
  );

/** FTS5's defaults of what it merges within a commit: up to 0.4 s here, above all of what is mostly deleted. */
const MERGES = { automerge: 4, crisismerge: 16, deletemerge: 10 } as const;
const NO_MERGES = { automerge: 0, crisismerge: 1000, deletemerge: 0 } as const;

function configure(tx: Db, table: Table, config: Record<keyof typeof MERGES, number>): void {
  for (const [name, value] of Object.entries(config)) command(tx, table, name, value);
}

/** Whether an interrupted run has left a table without merges. */
const lacksMerges = (tx: Db, table: Table): boolean =>
  tx.get(
    sql`SELECT 1 FROM ${sql.identifier(`${table}_config`)} WHERE k = 'deletemerge' AND cast(v as integer) = 0`,
  ) !== undefined;

const PAGES = 8;

/** Indexes the newest outdated entry again. @returns false if there was none */
function indexNewest(tx: Db): boolean {
  const entry = tx.get<{ id: number; kind: string } | undefined>(
    sql`SELECT id, kind FROM find_entries WHERE version < 2 ORDER BY id DESC LIMIT 1`,
  );
  if (!entry) return false;
  const { id, kind } = entry;
  const table = kind === "conversation" || kind === "document" ? "find_names" : "find_texts";
  if (table === "find_names") {
    tx.run(sql`DELETE FROM find_names WHERE rowid = ${id}`);
    tx.run(sql`INSERT INTO find_names (rowid, name) SELECT e.id, fold_text(coalesce(c.title, d.name))
      FROM find_entries e LEFT JOIN conversations c ON e.kind = 'conversation' AND c.id = e.source
      LEFT JOIN documents d ON e.kind = 'document' AND d.id = e.source WHERE e.id = ${id}`);
  } else {
    tx.run(sql`DELETE FROM find_texts WHERE rowid = ${id}`);
    tx.run(sql`INSERT INTO find_texts (rowid, body) SELECT e.id, find_terms(${messageText})
      FROM find_entries e JOIN messages ON messages.id = e.source WHERE e.id = ${id}`);
  }
  tx.run(sql`UPDATE find_entries SET version = 2 WHERE id = ${id}`);
  command(tx, table, "merge", 4);
  return true;
}

/** Repeats a step in transactions of a few ms until it returns false. */
async function repeat(step: (tx: Db) => boolean, signal: AbortSignal): Promise<void> {
  let isDone = false;
  function* steps() {
    while (!isDone) yield undefined;
  }
  const work = (tx: Db) => {
    isDone = isDone || !step(tx);
  };
  await runInBatches(steps(), work, { durable: false, signal });
}

/** Merges a table's segments some pages at a time, which leaves out what was deleted. */
async function mergeSegments(table: Table, signal: AbortSignal): Promise<void> {
  let pages = -PAGES;
  const changes = () => db().get<{ n: number }>(sql`SELECT total_changes() AS n`).n;
  const merge = (tx: Db) => {
    const before = changes();
    command(tx, table, "merge", pages);
    // A negative number begins with all segments, the next go on. One that finds nothing to do makes a single change.
    pages = PAGES;
    return changes() - before > 1;
  };
  await repeat(merge, signal);
}

/** Indexes outdated entries again, newest first. An interrupted run goes on at the next start. */
export async function indexAgain(signal: AbortSignal): Promise<void> {
  const hasOutdated = db().get(sql`SELECT 1 FROM find_entries WHERE version < 2 LIMIT 1`) !== undefined;
  if (hasOutdated) {
    for (const table of TABLES) configure(db(), table, NO_MERGES);
    await repeat(indexNewest, signal);
  }
  for (const table of TABLES) {
    if (!lacksMerges(db(), table)) continue;
    await mergeSegments(table, signal);
    configure(db(), table, MERGES);
  }
}

/** @returns a stop function */
export function startIndexingAgain(): () => Promise<void> {
  const stopping = new AbortController();
  const indexing = indexAgain(stopping.signal).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  runInBackground("the search index of conversations", () => indexing);
  return async () => {
    stopping.abort();
    await indexing.catch(() => undefined);
  };
}
