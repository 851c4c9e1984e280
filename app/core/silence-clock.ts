/**
 * Detects silence: the clock runs only while waiting, and one timer is set again when it fires, not per event.
 */
export class SilenceClock {
  readonly #ms: number;
  readonly #onSilence: () => void;
  #timer: NodeJS.Timeout | undefined;
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
    this.#timer ??= setTimeout(() => this.#fire(), Math.max(1, this.#left));
  }

  /** Stops waiting and keeps the remaining time. */
  pause(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#left -= performance.now() - this.#since;
  }

  restart(): void {
    this.#left = this.#ms;
    if (this.#isWaiting) this.#since = performance.now();
  }

  stop(): void {
    this.#isWaiting = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #fire(): void {
    this.#timer = undefined;
    if (!this.#isWaiting) return;
    const remaining = this.#left - (performance.now() - this.#since);
    if (remaining > 0) {
      this.#timer = setTimeout(() => this.#fire(), Math.max(1, remaining));
      return;
    }
    this.#isWaiting = false;
    this.#onSilence();
  }
}
