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
  cancel(): void;
}

/** Buffered bytes after which a response counts as begun: a fallback is then impossible. */
export const MAX_BUFFERED_BYTES = 1024 * 1024;
