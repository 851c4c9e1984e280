const loading: Promise<unknown>[] = [];

/**
 * Resolves when the code of a dialog or part that the server sent is there. The page is hydrated after that: a press on what
 * isn't hydrated yet follows its link, and loses what was typed.
 */
export const openPartsLoaded = (): Promise<unknown> => Promise.allSettled(loading);

/** Lets hydration wait for code that the server's page needs. */
export const loadBeforeHydration = (code: Promise<unknown>): void => void loading.push(code);
