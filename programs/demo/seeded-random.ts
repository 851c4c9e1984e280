export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Picks a value at random, in proportion to its weight. @throws Error if there are no choices */
export function pick<T>(random: () => number, choices: readonly (readonly [value: T, weight: number])[]): T {
  const total = choices.reduce((sum, [, weight]) => sum + weight, 0);
  let remaining = random() * total;
  for (const [value, weight] of choices) {
    remaining -= weight;
    if (remaining < 0) return value;
  }
  const [last] = choices.at(-1) ?? [];
  if (last === undefined) throw new Error("There is nothing to choose from.");
  return last;
}

export const pickOne = <T>(random: () => number, choices: readonly T[]): T =>
  pick(
    random,
    choices.map((choice) => [choice, 1] as const),
  );

/** A random number around `middle`, at least 1, with a long upper tail. */
export function around(random: () => number, middle: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.max(1, Math.round(middle * Math.exp(normal * 0.6)));
}
