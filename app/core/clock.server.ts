/** Milliseconds since the epoch, replaceable by tests. */
let read: () => number = Date.now;

export function now(): number {
  return read();
}

/** For tests. Without an argument it restores the real clock. */
export function setClock(source: () => number = Date.now): void {
  read = source;
}
