import type { IncomingMessage } from "node:http";

/** Time without data, in ms. */
const SILENCE_TIMEOUT = 30_000;
/** In bytes. */
const MAX_DRAINED = 64 * 1024 * 1024;

/** Discards a refused body, because closing immediately would lose the response. @param max in bytes */
export function drain(request: IncomingMessage, max = MAX_DRAINED): void {
  if (request.complete || request.destroyed) return;
  // Whoever read it may have stopped, and would hold it back.
  request.removeAllListeners("data");
  let rest = max;
  const timer = setTimeout(() => request.destroy(), SILENCE_TIMEOUT);
  request.on("data", (chunk: Buffer) => {
    timer.refresh();
    rest -= chunk.length;
    if (rest < 0) request.destroy();
  });
  request.once("close", () => clearTimeout(timer));
  request.resume();
}
