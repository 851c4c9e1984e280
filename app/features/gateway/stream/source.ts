import type { TokenCounts } from "../protocols/wire-usage";

/** An answer on its way to the caller, in bytes of the caller's protocol. */
export interface AnswerSource {
  /**
   * The next bytes; undefined at the end.
   *
   * @throws what went wrong with the provider, as the router judges it
   */
  pull(): Promise<Uint8Array | undefined>;
  /** Whether content of the answer has been read: then there is no fallback any more. */
  readonly begun: boolean;
  readonly usage: TokenCounts;
  /** Ends it at the provider. */
  cancel(): void;
}

/** Beyond this many bytes an answer counts as begun. */
const MOST_HELD = 1024 * 1024;

/** Holds an answer back until it has begun. @throws any earlier error */
export async function holdUntilBegun(source: AnswerSource): Promise<Uint8Array> {
  const held: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (!source.begun && bytes < MOST_HELD) {
      const piece = await source.pull();
      if (!piece) break;
      held.push(piece);
      bytes += piece.length;
    }
    return Buffer.concat(held);
  } catch (error) {
    source.cancel();
    throw error;
  }
}
