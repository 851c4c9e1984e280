export const MAX_STEPS = 100;
export const MAX_TRIGGERS = 10;
