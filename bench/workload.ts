/** Each token of a response. */
export const WORD = "word ";

export interface Level {
  /** Concurrent streams. */
  streams: number;
  /** Per response. */
  tokens: number;
  /** Interval between tokens of a response (ms). */
  paceMs: number;
  /** Number of rounds, each directly and through the console. */
  rounds: number;
  /** Time over which a round's streams start (ms). */
  rampMs: number;
}

/** The prompt for a level, which the upstreams recognize. */
export const question = ({ tokens, paceMs }: Level) => `Please answer with tokens:${tokens} pace:${paceMs}.`;
