import { AppError } from "~/core/errors";

/**
 * Notices a provider that keeps a stream alive without getting on: single bytes that never become an event aren't
 * silence, and would hold a caller for half an hour. Its clock runs only while the provider is waited for: what a slow
 * caller takes isn't the provider's time. Its one timer is set again when it fires, not with each event.
 */
export class EventWatch {
  readonly #provider: string;
  readonly #ms: number;
  readonly #onTooSlow: (failure: AppError) => void;
  #timer: NodeJS.Timeout | undefined;
  #isWaiting = false;
  /** What is left until the next whole event has to be here, and since when that is counted down. */
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

  /** The provider is waited for from now on. */
  wait(): void {
    if (this.#isWaiting || this.#failure) return;
    this.#isWaiting = true;
    this.#since = performance.now();
    this.#timer ??= setTimeout(() => this.#fire(), Math.max(1, this.#left));
  }

  /** It isn't any more; what was left is kept. */
  pause(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#left -= performance.now() - this.#since;
  }

  /** A complete event arrived: the time begins again. */
  event(): void {
    this.#left = this.#ms;
    if (this.#isWaiting) this.#since = performance.now();
  }

  /** The stream is over. */
  stop(): void {
    this.#isWaiting = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** @throws AppError `provider_timeout` when it was too slow */
  assert(): void {
    if (this.#failure) throw this.#failure;
  }

  #fire(): void {
    this.#timer = undefined;
    if (!this.#isWaiting) return;
    const left = this.#left - (performance.now() - this.#since);
    if (left > 0) {
      this.#timer = setTimeout(() => this.#fire(), Math.max(1, left));
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
