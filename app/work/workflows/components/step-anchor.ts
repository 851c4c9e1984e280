export const stepAnchor = (key: string) => `step-${key}`;
