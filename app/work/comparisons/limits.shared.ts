export const COLUMNS = { min: 2, max: 4 } as const;
