import { SilenceClock } from "~/core/clock.server";
import { AppError } from "~/core/errors";

/** Detects a provider that sends bytes but no events. */
export class EventWatch {
  readonly #clock: SilenceClock;
  #failure: AppError | undefined;

  /** @param ms maximum time between two events */
  constructor(provider: string, ms: number, onTooSlow: (failure: AppError) => void) {
    this.#clock = new SilenceClock(ms, () => {
      const seconds = Math.max(1, Math.round(ms / 1000));
      this.#failure = new AppError(
        "provider_timeout",
        `${provider} sent no complete event for ${seconds} s, so the call was stopped. Try again.`,
      );
      onTooSlow(this.#failure);
    });
  }

  /** Starts waiting for the provider. */
  wait(): void {
    if (!this.#failure) this.#clock.wait();
  }

  /** Stops waiting and keeps the remaining time. */
  pause(): void {
    this.#clock.pause();
  }

  /** An event arrived: restarts the clock. */
  event(): void {
    this.#clock.restart();
  }

  stop(): void {
    this.#clock.stop();
  }

  /** @throws AppError `provider_timeout` if too slow */
  throwIfTimedOut(): void {
    if (this.#failure) throw this.#failure;
  }
}
