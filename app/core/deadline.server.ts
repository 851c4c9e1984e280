/**
 * Runs work with a deadline. AbortSignal.any can be garbage-collected before it fires on Node 20.
 * @throws `timeoutError`; the signal's reason
 */
export async function withDeadline<T>(
  { ms, timeoutError, signal }: { ms: number; timeoutError: Error; signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => controller.abort(timeoutError), ms);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}
