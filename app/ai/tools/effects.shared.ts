// Without zod: screens load it.

export const EFFECTS = ["reads", "writes", "outside"] as const;
export type Effect = (typeof EFFECTS)[number];

export const EFFECT_LABELS: Readonly<Record<Effect, string>> = {
  reads: "Read",
  writes: "Write",
  outside: "External",
};
