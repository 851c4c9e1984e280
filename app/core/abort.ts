/**
 * Calls a listener once the signal aborts, at once if it has aborted already.
 * @returns a function that removes the listener
 */
export function onAbort(signal: AbortSignal | undefined, listener: (reason: unknown) => void): () => void {
  if (signal?.aborted) listener(signal.reason);
  if (!signal || signal.aborted) return () => undefined;
  const call = () => listener(signal.reason);
  signal.addEventListener("abort", call, { once: true });
  return () => signal.removeEventListener("abort", call);
}

/**
 * Creates a controller whose signal follows another signal until it is released. AbortSignal.any loses aborts once a
 * signal behind it is collected: on Node 22.22 and 22.23 that of another AbortSignal.any, on 24.21 an aborted one that
 * nothing listened to (nodejs/node#65995).
 */
export function followSignal(signal: AbortSignal | undefined) {
  const controller = new AbortController();
  return { controller, release: onAbort(signal, (reason) => controller.abort(reason)) };
}

/**
 * Waits for work until the signal aborts. The abort wins over what the work does with it, and over work that ignores it.
 * @throws the signal's reason
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let release = () => {};
  const aborted = new Promise<never>((_, reject) => {
    release = onAbort(signal, reject);
  });
  try {
    return await Promise.race([aborted, work]);
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    release();
  }
}

/**
 * Runs work with a deadline; an abort wins, as for `untilAborted`. The error is made when the time is over, as its stack
 * takes longer to record than quick work.
 * @throws the error of `timeoutError`; the signal's reason
 */
export async function withDeadline<T>(
  { ms, timeoutError, signal }: { ms: number; timeoutError: () => Error; signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const { controller, release } = followSignal(signal);
  const timer = setTimeout(() => controller.abort(timeoutError()), ms);
  try {
    return await untilAborted(work(controller.signal), controller.signal);
  } finally {
    clearTimeout(timer);
    release();
  }
}

/** Whether a promise is fulfilled within this time, in ms. @throws its error within it */
export async function isFulfilledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
