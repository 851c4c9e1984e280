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

/** Longest time between two looks at the clock, in ms. */
const TICK = 1000;
/** A longer gap means that the process itself didn't run: it was suspended, or its event loop was busy. */
const MAX_GAP = 2 * TICK;

/** Detects silence while waiting. Time in which the process itself didn't run, as on a laptop that slept, isn't counted. */
export class SilenceClock {
  readonly #ms: number;
  readonly #onSilence: () => void;
  #timer: NodeJS.Timeout | undefined;
  #lastLook: NodeJS.Immediate | undefined;
  #isWaiting = false;
  /** Remaining time, and since when it runs. */
  #left: number;
  #since = 0;

  /** @param ms maximum silence, in milliseconds */
  constructor(ms: number, onSilence: () => void) {
    this.#ms = ms;
    this.#left = ms;
    this.#onSilence = onSilence;
  }

  wait(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#since = performance.now();
    if (!this.#timer) this.#setTimer();
  }

  /** Stops waiting and keeps the remaining time. */
  pause(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#count();
  }

  restart(): void {
    this.#left = this.#ms;
    if (this.#isWaiting) this.#since = performance.now();
  }

  stop(): void {
    this.#isWaiting = false;
    clearTimeout(this.#timer);
    clearImmediate(this.#lastLook);
    this.#timer = undefined;
  }

  #setTimer(): void {
    this.#timer = setTimeout(() => this.#fire(), Math.min(TICK, Math.max(1, this.#left)));
  }

  #count(): void {
    const at = performance.now();
    const gap = at - this.#since;
    this.#since = at;
    this.#left -= gap > MAX_GAP ? 0 : gap;
  }

  #fire(): void {
    // A busy process reads what came meanwhile after its timers, and before this.
    this.#lastLook = setImmediate(() => this.#look());
  }

  #look(): void {
    this.#timer = undefined;
    if (!this.#isWaiting) return;
    this.#count();
    if (this.#left > 0) {
      this.#setTimer();
      return;
    }
    this.#isWaiting = false;
    this.#onSilence();
  }
}
