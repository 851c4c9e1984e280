/** One token of every answer; its length is aimock's chunk size. */
export const WORD = "word ";
/** Between two tokens of one answer, in milliseconds: 50 tokens a second, a quick hosted model. */
export const PACE_MS = 20;

export interface Level {
  /** Streams at the same time. */
  streams: number;
  /** Of each answer. */
  tokens: number;
  /** How often directly and through the console, in turns. */
  rounds: number;
  /** Over how long the streams of a round begin, in milliseconds. */
  rampMs: number;
}

export const LEVELS: readonly Level[] = [
  { streams: 1, tokens: 25, rounds: 40, rampMs: 0 },
  { streams: 50, tokens: 100, rounds: 4, rampMs: 200 },
  { streams: 500, tokens: 250, rounds: 2, rampMs: 2000 },
];

/** What is asked for an answer of so many tokens; the far ends recognise it. */
export const question = (tokens: number) => `Please answer with tokens:${tokens}.`;

export const WARM_UP: Level = { streams: 20, tokens: 25, rounds: 15, rampMs: 0 };
