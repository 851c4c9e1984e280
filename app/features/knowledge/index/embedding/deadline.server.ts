import { AppError } from "~/core/errors";

/**
 * Runs work with a signal that also fires after a time. Not AbortSignal.any: on Node 20 that one can be collected
 * before it fires.
 *
 * @throws AppError `provider_timeout` after the time; the signal's own reason
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
