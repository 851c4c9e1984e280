import { runLater } from "~/core/background.server";
import { db, onCommit, runInBatches } from "~/core/db.server";
import { indexNext, readIndexed, readLastEntry } from "~/platform/audit/audit.repo.server";

/** Indexing delay (ms), so that entries share a commit; searches scan the rest. */
const DELAY = 2000;
const CHUNK = 20;

export async function indexEntries(signal?: AbortSignal): Promise<void> {
  let isDone = (readLastEntry(db())?.seq ?? 0) <= readIndexed(db());
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

export function startAuditIndex(): () => Promise<void> {
  const stopping = new AbortController();
  let indexing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const run = async () => {
    try {
      await indexEntries(stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    } finally {
      // After an error the next commit tries again.
      timer = undefined;
    }
  };
  const runSoon = () => {
    timer ??= runLater("the search index of the audit trail", DELAY, () => {
      indexing = run();
      return indexing;
    });
  };
  runSoon();
  const unsubscribe = onCommit("the need for the audit trail's search index", runSoon);
  return async () => {
    unsubscribe();
    clearTimeout(timer);
    stopping.abort();
    await indexing.catch(() => undefined);
  };
}
