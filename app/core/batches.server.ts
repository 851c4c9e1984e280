import { type Db, transaction } from "./db.server";
import { yieldToEventLoop } from "./event-loop.server";

/** Longest time a batch may block the event loop (ms). */
const BUDGET = 5;

interface BatchOptions {
  /** Time budget of one transaction; at least one item is processed. */
  budgetMs?: number | undefined;
  signal?: AbortSignal | undefined;
  durable?: boolean | undefined;
  after?: (() => Promise<void>) | undefined;
}

/**
 * Processes items in short transactions with event-loop yields between them. Committed items stay when a
 * later one throws or the signal aborts, so the work must be repeatable.
 * @param work runs synchronously inside a transaction, per item
 * @throws the signal's reason
 */
export async function runInBatches<T>(
  items: Iterable<T>,
  work: (tx: Db, item: T) => void,
  { budgetMs = BUDGET, signal, durable = true, after }: BatchOptions = {},
): Promise<number> {
  const waiting = items[Symbol.iterator]();
  let next = waiting.next();
  let count = 0;
  while (!next.done) {
    await yieldToEventLoop();
    signal?.throwIfAborted();
    transaction(
      (tx) => {
        const end = performance.now() + budgetMs;
        do {
          work(tx, next.value);
          count += 1;
          next = waiting.next();
        } while (!next.done && performance.now() < end);
      },
      { durable },
    );
    await after?.();
  }
  if (count > 0) await yieldToEventLoop();
  return count;
}
