import { AppError } from "~/core/errors";

/**
 * Detects a provider that sends bytes but no events. The clock runs only while waiting for the provider, and one timer
 * is reset when it fires, not per event.
 */
export class EventWatch {
  readonly #provider: string;
  readonly #ms: number;
  readonly #onTooSlow: (failure: AppError) => void;
  #timer: NodeJS.Timeout | undefined;
  #isWaiting = false;
  /** Remaining time until the next event, and since when it runs. */
  #left: number;
  #since = 0;
  #failure: AppError | undefined;

  /** @param ms between two events, in milliseconds */
  constructor(provider: string, ms: number, onTooSlow: (failure: AppError) => void) {
    this.#provider = provider;
    this.#ms = ms;
    this.#left = ms;
    this.#onTooSlow = onTooSlow;
  }

  /** Starts waiting for the provider. */
  wait(): void {
    if (this.#isWaiting || this.#failure) return;
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

  /** An event arrived: restarts the clock. */
  event(): void {
    this.#left = this.#ms;
    if (this.#isWaiting) this.#since = performance.now();
  }

  stop(): void {
    this.#isWaiting = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** @throws AppError `provider_timeout` if too slow */
  assert(): void {
    if (this.#failure) throw this.#failure;
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
    const seconds = Math.max(1, Math.round(this.#ms / 1000));
    this.#failure = new AppError(
      "provider_timeout",
      `${this.#provider} sent no complete event for ${seconds} s, so the call was stopped. Try again.`,
    );
    this.#onTooSlow(this.#failure);
  }
}
