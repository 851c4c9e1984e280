import { ProviderTimeout, WITHOUT_CONTENT } from "~/ai/models/provider-client.service.server";
import { SilenceClock } from "~/core/clock.server";
import { AppError } from "~/core/errors";
import type { CallDetails } from "~/core/telemetry.server";
import type { StreamProgress } from "../protocols/errors";
import type { TokenCounts } from "../protocols/wire-usage";

/** `write` returns a promise if the caller is slow. */
export interface ResponseWriter {
  /** @throws the reason why the caller's stream ended */
  write(bytes: Uint8Array): Promise<void> | undefined;
}

export interface ResponseSource {
  /** Resolves with the first content: before it a fallback is possible. @throws any earlier error */
  begin(): Promise<void>;
  /** Writes the response to its end. @throws what the router classifies; what `write` throws */
  relay(writer: ResponseWriter): Promise<void>;
  readonly usage: TokenCounts;
  /** Of the answer that was received, in UTF-8. */
  readonly textBytes: number;
  readonly progress: StreamProgress;
  readonly details: CallDetails;
  cancel(): void;
}

/** Buffered bytes after which a response counts as begun: a fallback is then impossible. */
export const MAX_BUFFERED_BYTES = 1024 * 1024;

/** The longest time before the first event, and between two, in ms. */
export interface EventSilence {
  firstByteMs: number;
  betweenBytesMs: number;
}

/** Detects a provider that sends bytes but no events, or events but nothing of an answer. */
export class EventWatch {
  #clock: SilenceClock;
  readonly #contentClock: SilenceClock;
  #isWaiting = false;
  #hasBegun = false;
  #hasFired = false;

  constructor(
    private readonly provider: string,
    private readonly silence: EventSilence,
    private readonly onTooSlow: (failure: AppError) => void,
    onWithoutContent: (failure: ProviderTimeout) => void,
  ) {
    this.#clock = this.#clockOf(silence.firstByteMs);
    const ms = WITHOUT_CONTENT * silence.betweenBytesMs;
    this.#contentClock = new SilenceClock(ms, () => {
      this.#fire();
      onWithoutContent(new ProviderTimeout(ms, true, true));
    });
  }

  #clockOf(ms: number): SilenceClock {
    return new SilenceClock(ms, () => {
      const seconds = Math.max(1, Math.round(ms / 1000));
      const message = `${this.provider} sent no complete event for ${seconds} s, so the call was stopped. Try again.`;
      this.#fire();
      this.onTooSlow(new AppError("provider_timeout", message));
    });
  }

  #fire(): void {
    this.#hasFired = true;
    this.stop();
  }

  wait(): void {
    this.#isWaiting = true;
    if (this.#hasFired) return;
    this.#clock.wait();
    this.#contentClock.wait();
  }

  pause(): void {
    this.#isWaiting = false;
    this.#clock.pause();
    this.#contentClock.pause();
  }

  /** Something of the answer; thoughts, pings and comments aren't. */
  content(): void {
    this.#contentClock.restart();
  }

  event(): void {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#clock.stop();
      this.#clock = this.#clockOf(this.silence.betweenBytesMs);
      if (this.#isWaiting) this.wait();
    }
    this.#clock.restart();
  }

  stop(): void {
    this.#clock.stop();
    this.#contentClock.stop();
  }
}
