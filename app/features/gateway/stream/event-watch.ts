import { AppError } from "~/core/errors";

/**
 * Notices a provider that keeps a stream alive without getting on: single bytes that never become an event aren't
 * silence, and would hold a caller for half an hour.
 */
export class EventWatch {
  readonly #timer: NodeJS.Timeout;
  #failure: AppError | undefined;

  /** @param ms between two events, in milliseconds */
  constructor(provider: string, ms: number, onTooSlow: (failure: AppError) => void) {
    this.#timer = setTimeout(() => {
      const seconds = Math.max(1, Math.round(ms / 1000));
      const failure = new AppError(
        "provider_timeout",
        `${provider} sent no whole event for ${seconds} s, so it was given up.`,
      );
      this.#failure = failure;
      onTooSlow(failure);
    }, ms);
  }

  event(): void {
    this.#timer.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** @throws AppError `provider_timeout` when it was too slow */
  assert(): void {
    if (this.#failure) throw this.#failure;
  }
}
