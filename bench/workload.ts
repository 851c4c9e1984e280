/** Each token of a response; its length is aimock's chunk size. */
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

/**
 * 20 ms are 50 tokens a second, as from a fast hosted model. 500 streams get 10 a second each, since
 * upstream, console and reader share one machine.
 */
export const LEVELS: readonly Level[] = [
  { streams: 1, tokens: 25, paceMs: 20, rounds: 40, rampMs: 0 },
  { streams: 50, tokens: 100, paceMs: 20, rounds: 4, rampMs: 200 },
  { streams: 500, tokens: 80, paceMs: 100, rounds: 2, rampMs: 2000 },
];

/** For the gateway: 200 streams of 50 frames a second; 500 streams at half that rate. */
export const GATEWAY_LEVELS: readonly Level[] = [
  { streams: 1, tokens: 25, paceMs: 20, rounds: 60, rampMs: 0 },
  { streams: 50, tokens: 100, paceMs: 20, rounds: 6, rampMs: 200 },
  { streams: 200, tokens: 250, paceMs: 20, rounds: 4, rampMs: 1000 },
  { streams: 500, tokens: 80, paceMs: 100, rounds: 3, rampMs: 2000 },
];

export const WARM_UP: Level = { streams: 20, tokens: 26, paceMs: 20, rounds: 15, rampMs: 0 };

/** The prompt for a level, which the upstreams recognize. */
export const question = ({ tokens, paceMs }: Level) => `Please answer with tokens:${tokens} pace:${paceMs}.`;
