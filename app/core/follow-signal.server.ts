/**
 * Creates a controller whose signal follows another signal until it is released. AbortSignal.any loses aborts once a
 * signal behind it is collected: on Node 22.22 and 22.23 that of another AbortSignal.any, on 24.21 an aborted one that
 * nothing listened to (nodejs/node#65995).
 */
export function followSignal(signal: AbortSignal | undefined) {
  const controller = new AbortController();
  if (signal?.aborted) controller.abort(signal.reason);
  const forwardAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", forwardAbort, { once: true });
  return { controller, release: () => signal?.removeEventListener("abort", forwardAbort) };
}
