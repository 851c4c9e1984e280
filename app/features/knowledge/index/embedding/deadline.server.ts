import { AppError } from "~/core/errors";

/**
 * Runs work with a deadline. AbortSignal.any can be garbage-collected before it fires on Node 20.
 * @throws AppError `provider_timeout`; the signal's reason
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
  tooLate = `The embedding model took longer than ${ms / 1000} seconds. Try again.`,
): Promise<T> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const onAbort = () => ending.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  const tooLong = new AppError("provider_timeout", tooLate);
  const timer = setTimeout(() => ending.abort(tooLong), ms);
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}
