import { runInBatches } from "~/core/batches.server";
import { db, onCommit } from "~/core/db.server";
import { log } from "~/core/log.server";
import { indexNext, readIndexed, readLast } from "./audit.repo.server";

/** Delay from an entry to its indexing, in ms, so that many entries share a commit. Searches scan what isn't indexed. */
const DELAY = 2000;
/** Entries per statement. */
const CHUNK = 20;

/** Indexes the entries that aren't yet, in short transactions. A crash loses nothing: the rest is indexed later. */
export async function indexEntries(signal?: AbortSignal): Promise<void> {
  let isDone = (readLast(db())?.seq ?? 0) <= readIndexed(db());
  function* chunks() {
    while (!isDone) yield CHUNK;
  }
  await runInBatches(
    chunks(),
    (tx, size) => {
      isDone = indexNext(tx, size) < size;
    },
    { durable: false, ...(signal ? { signal } : {}) },
  );
}

/** Keeps the index of searches up to date behind the commits. @returns the way to stop */
export function startAuditIndex(): () => Promise<void> {
  const stopping = new AbortController();
  let indexing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let known = 0;
  const run = async () => {
    try {
      await indexEntries(stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted)
        log.error("the audit trail's search index could not be updated", { error });
    }
    timer = undefined;
  };
  const runSoon = () => {
    const newest = readLast(db())?.seq ?? 0;
    // Indexing commits, too.
    if (newest === known || timer) return;
    known = newest;
    timer = setTimeout(() => {
      indexing = run();
    }, DELAY).unref();
  };
  runSoon();
  const leave = onCommit(runSoon);
  return async () => {
    leave();
    clearTimeout(timer);
    stopping.abort();
    await indexing;
  };
}
