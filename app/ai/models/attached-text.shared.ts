/** Marks an attached text. Providers ignore it; the built-in model reads requests only from the user's own words. */
export const ATTACHED = { console: { attached: true } } as const;
