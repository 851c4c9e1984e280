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

/** A time limit, in ms, that can be held while someone else is waited for, such as a person. */
export class Countdown {
  #timer: NodeJS.Timeout | undefined;
  #since = 0;
  #holds = 0;

  constructor(
    private left: number,
    private readonly onEnd: () => void,
  ) {
    this.#run();
  }

  #run(): void {
    this.#since = performance.now();
    this.#timer = setTimeout(this.onEnd, this.left);
  }

  /** Stands still until each hold is released. @returns a function that releases this one */
  hold(): () => void {
    if (this.#holds++ === 0) {
      clearTimeout(this.#timer);
      this.left = Math.max(0, this.left - (performance.now() - this.#since));
    }
    let isHeld = true;
    return () => {
      if (isHeld && --this.#holds === 0) this.#run();
      isHeld = false;
    };
  }

  /** Nothing runs afterwards, whatever is released. */
  end(): void {
    this.#holds = Number.POSITIVE_INFINITY;
    clearTimeout(this.#timer);
  }
}

/**
 * Runs work with a deadline; an abort wins, as for `untilAborted`. The error is made when the time is over, as its stack
 * takes longer to record than quick work.
 * @param work gets the countdown to its deadline, which it may hold
 * @throws the error of `timeoutError`; the signal's reason
 */
export async function withDeadline<T>(
  { ms, timeoutError, signal }: { ms: number; timeoutError: () => Error; signal?: AbortSignal | undefined },
  work: (signal: AbortSignal, countdown: Countdown) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const { controller, release } = followSignal(signal);
  const countdown = new Countdown(ms, () => controller.abort(timeoutError()));
  try {
    return await untilAborted(work(controller.signal, countdown), controller.signal);
  } finally {
    countdown.end();
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
