/** Id of a step's result on its run's page. */
export const stepAnchor = (key: string) => `step-${key}`;
