/**
 * Marks a text of a person's message that is an attached file's and not their own words. Providers ignore it; the
 * built-in model reads requests out of what the person said alone.
 */
export const ATTACHED = { console: { attached: true } } as const;
