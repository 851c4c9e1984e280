// Without zod: screens load it.

/** What a call does to the world: reads here, writes here, or goes outside. */
export const EFFECTS = ["reads", "writes", "outside"] as const;
export type Effect = (typeof EFFECTS)[number];

export const EFFECT_LABELS: Readonly<Record<Effect, string>> = {
  reads: "Read",
  writes: "Write",
  outside: "External",
};
