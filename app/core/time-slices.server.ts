import { setImmediate as turn } from "node:timers/promises";
import { type Db, transaction } from "./db.server";

/** How long one slice may hold the event loop, in milliseconds: other requests wait that long at most. */
const BUDGET = 5;

/**
 * Works through items in short transactions with a turn of the event loop between them, so that much writing delays
 * nobody. What was committed stays when a later item throws or the signal fires: the work has to be repeatable.
 *
 * @param work runs inside a transaction, on one item at a time; must not wait
 * @param options.budgetMs of one transaction; at least one item is done in each
 * @returns how many items were worked on
 * @throws the signal's reason
 */
export async function inSlices<T>(
  items: Iterable<T>,
  work: (tx: Db, item: T) => void,
  options: { budgetMs?: number; signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const { budgetMs = BUDGET, signal } = options;
  const waiting = items[Symbol.iterator]();
  let next = waiting.next();
  let count = 0;
  while (!next.done) {
    signal?.throwIfAborted();
    transaction((tx) => {
      const end = performance.now() + budgetMs;
      do {
        work(tx, next.value);
        count += 1;
        next = waiting.next();
      } while (!next.done && performance.now() < end);
    });
    await turn();
  }
  return count;
}
