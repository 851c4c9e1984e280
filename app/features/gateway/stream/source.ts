import type { TokenCounts } from "../protocols/wire-usage";

/** What takes an answer's bytes. Where `write` returns a promise the caller is slow: wait for it. */
export interface AnswerWriter {
  /** @throws the reason for which the caller's stream is over */
  write(bytes: Uint8Array): Promise<void> | undefined;
}

/** An answer on its way to the caller, in bytes of the caller's protocol. */
export interface AnswerSource {
  /**
   * Waits until content of the answer is here: before that there is a fallback.
   *
   * @throws any earlier error
   */
  begin(): Promise<void>;
  /**
   * Hands the answer on at the caller's pace, to its end.
   *
   * @throws what went wrong with the provider, as the router judges it; what `write` throws
   */
  relay(writer: AnswerWriter): Promise<void>;
  readonly usage: TokenCounts;
  /** Ends it at the provider. */
  cancel(): void;
}

/** Beyond this many bytes an answer counts as begun. */
export const MOST_HELD = 1024 * 1024;
