import { basePath } from "~/core/base-path";

export function readFromTab(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

const YEAR_SECONDS = 31_536_000;

export const readFromCookie = (name: string): string | undefined =>
  document.cookie
    .split("; ")
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/** Remembers a choice about the screen, which the server then draws; without a value, forgets it. */
export function keepInCookie(name: string, value: string): void {
  const age = value === "" ? 0 : YEAR_SECONDS;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox and on plain HTTP.
  document.cookie = `${name}=${value}; path=${basePath() || "/"}; max-age=${age}; samesite=lax`;
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
