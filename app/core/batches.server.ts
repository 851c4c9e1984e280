import { type Db, transaction } from "./db.server";
import { yieldToEventLoop } from "./event-loop.server";

/** How long one slice may hold the event loop, in milliseconds: other requests wait that long at most. */
const BUDGET = 5;

interface BatchOptions {
  /** Of one transaction, in milliseconds; at least one item is done in each. */
  budgetMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Of each transaction; see there. */
  durable?: boolean | undefined;
  /** Called behind each transaction: work that writing leaves to be done, and that mustn't pile up. */
  after?: (() => Promise<void>) | undefined;
}

/**
 * Works through items in short transactions, each in a turn of the event loop that it shares with no other slice, so
 * that much writing delays no one. What was committed stays when a later item throws or the signal fires: the work has
 * to be repeatable.
 * @param work runs inside a transaction, on one item at a time; must not wait
 * @returns how many items were worked on
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
