/** Milliseconds since the epoch, replaceable by tests. */
let read: () => number = Date.now;

export function now(): number {
  return read();
}

/** For tests. Without an argument it restores the real clock. */
export function setClock(source: () => number = Date.now): void {
  read = source;
}

/** Larger than the drift between two looks, in ms. */
const JUMP = 1000;

/** Notices that the wall clock was set: it then drifts apart from the monotonic one. */
export class ClockWatch {
  #offset = now() - performance.now();

  /** Whether it was set since the last call that said so. */
  hasJumped(): boolean {
    const offset = now() - performance.now();
    if (Math.abs(offset - this.#offset) <= JUMP) return false;
    this.#offset = offset;
    return true;
  }
}
