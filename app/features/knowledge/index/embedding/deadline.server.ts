/**
 * Runs work with a deadline. AbortSignal.any can be garbage-collected before it fires on Node 20.
 * @throws `late`; the signal's reason
 */
export async function withDeadline<T>(
  { ms, late, signal }: { ms: number; late: Error; signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const onAbort = () => ending.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => ending.abort(late), ms);
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}
