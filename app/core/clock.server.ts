/** Milliseconds since the epoch, replaceable by tests. */
let read: () => number = Date.now;

export function now(): number {
  return read();
}

/** As `now`, but untouched when the wall clock is set: for delays in memory. Tests replace both. */
export function steadyNow(): number {
  return read === Date.now ? performance.timeOrigin + performance.now() : read();
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
