import { runInBackground } from "~/core/background.server";
import { type Db, db, runInBatches } from "~/core/db.server";
import {
  FIND_TABLES,
  hasOutdated,
  indexNewest,
  lacksMerges,
  mergePages,
  setMerges,
} from "./find-index.repo.server";

// Entries of the search from before an upgrade have texts as they are written; the triggers write folded ones. Until an
// entry is indexed again, it is found by its words as they are written.

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

const PAGES = 8;

/** Indexes outdated entries again, newest first. An interrupted run goes on at the next start. */
export async function indexAgain(signal: AbortSignal): Promise<void> {
  if (hasOutdated(db())) {
    for (const table of FIND_TABLES) setMerges(db(), table, false);
    await repeat(indexNewest, signal);
  }
  for (const table of FIND_TABLES) {
    if (!lacksMerges(db(), table)) continue;
    // Merging all leaves out what was deleted.
    mergePages(db(), table, -PAGES);
    await repeat((tx) => mergePages(tx, table, PAGES), signal);
    setMerges(db(), table, true);
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
