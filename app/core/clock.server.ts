/** The one source of the time, in milliseconds since the epoch, so that tests can set it. */
let read: () => number = Date.now;

export function now(): number {
  return read();
}

/** Replaces the clock (tests only); without an argument the real one comes back. */
export function setClock(source: () => number = Date.now): void {
  read = source;
}
