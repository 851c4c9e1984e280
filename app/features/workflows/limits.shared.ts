export const MOST_STEPS = 100;
export const MOST_TRIGGERS = 10;
