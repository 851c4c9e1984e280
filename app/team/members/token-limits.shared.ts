export const TOKEN_DAYS_MAX = 365;

export const TOKEN_MODELS_MAX = 100;

export const TOKEN_RATE_MAX = 100_000;
