import { followSignal } from "./abort";
import { log } from "./log.server";
import { isStorageFault } from "./storage-faults.server";

const failing = new Set<string>();

/** Work in the background that failed and hasn't succeeded since. */
export function listFailingWork(): string[] {
  return [...failing];
}

/**
 * Runs work that nobody waits for: in a timer or a listener, where an exception would end the process. An error is
 * logged under the name and shown by the console's health until the work succeeds.
 */
export function runInBackground(name: string, work: () => unknown): void {
  const succeed = () => void failing.delete(name);
  const fail = (error: unknown) => {
    // A fault of the disk or the database is a problem of its own in the console's health.
    if (!isStorageFault(error)) failing.add(name);
    log.error("work in the background failed", { kind: name, error });
  };
  try {
    const result = work();
    if (result instanceof Promise) result.then(succeed, fail);
    else succeed();
  } catch (error) {
    fail(error);
  }
}

/** Runs work after a delay in ms; see `runInBackground`. It doesn't keep the process alive. */
export function runLater(name: string, ms: number, work: () => unknown): NodeJS.Timeout {
  return setTimeout(() => runInBackground(name, work), ms).unref();
}

/** Runs work in the next turn of the event loop, for example after the running transaction; see `runInBackground`. */
export function runNext(name: string, work: () => unknown): NodeJS.Immediate {
  return setImmediate(() => runInBackground(name, work));
}

/**
 * Last resort for errors that nothing caught: they are logged, and after an exception the process ends in order, since
 * its state is unknown.
 * @returns a function to stop catching
 */
export function catchStrayErrors(end: () => void): () => void {
  const onRejection = (error: unknown) => log.error("unhandled rejection", { error });
  let isEnding = false;
  const onException = (error: unknown) => {
    log.error("uncaught exception; the console stops", { error });
    // Another one must not cut the end in order short.
    if (!isEnding) end();
    isEnding = true;
  };
  process.on("unhandledRejection", onRejection).on("uncaughtException", onException);
  return () => {
    process.off("unhandledRejection", onRejection).off("uncaughtException", onException);
  };
}

const waiting: (() => void)[] = [];

function resumeNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
}

/** Yields to the event loop; concurrent callers share one delay. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeNext);
  });
}

/** Alternates with code that works in the event-loop tick after its notification, as React's renderer does. */
export function orderedYields(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(yieldToEventLoop).then(() => new Promise<void>((resolve) => setImmediate(resolve)));
    return last;
  };
}

/** Processes rows page by page, by their ids. */
export async function forEachPage<T extends { id: number }>(
  list: (after: number) => T[],
  process: (page: T[]) => Promise<unknown>,
): Promise<void> {
  for (let after = 0; ; ) {
    const page = list(after);
    const last = page.at(-1);
    if (!last) return;
    await process(page);
    after = last.id;
    await yieldToEventLoop();
  }
}

/**
 * Works on items, some at a time. After an error, or once the signal aborts, no other item is begun.
 * @param work gets a signal that aborts then
 * @throws the first error, or the signal's reason, once all work has ended
 */
export async function forEachConcurrently<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T, signal: AbortSignal) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  const { controller, release } = followSignal(signal);
  const waiting = items[Symbol.iterator]();
  let failure: { error: unknown } | undefined;
  const worker = async () => {
    for (let next = waiting.next(); !next.done && !failure; next = waiting.next()) {
      try {
        controller.signal.throwIfAborted();
        await work(next.value, controller.signal);
      } catch (error) {
        failure ??= { error };
        controller.abort();
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker)).finally(release);
  if (failure) throw failure.error;
}
