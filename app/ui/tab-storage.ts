export function readFromTab(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a text in the tab; without one, drops what was kept. */
export function keepInTab(key: string, text: string | undefined): void {
  try {
    if (text) sessionStorage.setItem(key, text);
    else sessionStorage.removeItem(key);
  } catch {
    // Disabled or full: it lasts as long as the page.
  }
}
