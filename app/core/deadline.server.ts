import { followSignal } from "./follow-signal.server";

/**
 * Runs work with a deadline.
 * @throws `timeoutError`; the signal's reason
 */
export async function withDeadline<T>(
  { ms, timeoutError, signal }: { ms: number; timeoutError: Error; signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const { controller, release } = followSignal(signal);
  const timer = setTimeout(() => controller.abort(timeoutError), ms);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    release();
  }
}
