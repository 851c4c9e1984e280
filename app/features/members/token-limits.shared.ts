/** How long a token may last, in days. */
export const TOKEN_DAYS_MAX = 365;

/** How many models a token can be limited to by name. */
export const TOKEN_MODELS_MAX = 100;

/** The highest limit on calls that a token can have of its own. */
export const TOKEN_RATE_MAX = 100_000;
