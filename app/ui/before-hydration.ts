const loading: Promise<unknown>[] = [];

/**
 * Resolves when the code of a dialog or part in the server's page has loaded. The page is hydrated after that, since a
 * press on an element that isn't hydrated follows its link and loses typed text.
 */
export const openPartsLoaded = (): Promise<unknown> => Promise.allSettled(loading);

/** Lets hydration wait for code that the server's page needs. */
export const loadBeforeHydration = (code: Promise<unknown>): void => void loading.push(code);
