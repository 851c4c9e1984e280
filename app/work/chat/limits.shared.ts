/** The range of Max Steps and its default (section 9). */
export const MAX_STEPS = { min: 1, max: 10, default: 5 } as const;

/** Time limit of an answer, in minutes. */
export const ANSWER_MINUTES = 30;
