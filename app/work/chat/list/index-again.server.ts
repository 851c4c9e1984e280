import { sql } from "drizzle-orm";
import { runInBackground } from "~/core/background.server";
import { type Db, db, runInBatches } from "~/core/db.server";
import { messageText } from "./list.repo.server";

// Entries of the search from before an upgrade have texts as they are written; the triggers write folded ones. Until an
// entry is indexed again, it is found by its words as they are written.

/** Indexes the newest outdated entry again. @returns false if there was none */
function indexNewest(tx: Db): boolean {
  const entry = tx.get<{ id: number; kind: string } | undefined>(
    sql`SELECT id, kind FROM find_entries WHERE version < 2 ORDER BY id DESC LIMIT 1`,
  );
  if (!entry) return false;
  const { id, kind } = entry;
  if (kind === "conversation" || kind === "document") {
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
  return true;
}

/** Indexes outdated entries again, newest first, in transactions of a few ms. An interrupted one goes on at the next start. */
export async function indexAgain(signal: AbortSignal): Promise<void> {
  let isDone = db().get(sql`SELECT 1 FROM find_entries WHERE version < 2 LIMIT 1`) === undefined;
  function* steps() {
    while (!isDone) yield undefined;
  }
  await runInBatches(
    steps(),
    (tx) => {
      isDone = !indexNewest(tx);
    },
    { durable: false, signal },
  );
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
