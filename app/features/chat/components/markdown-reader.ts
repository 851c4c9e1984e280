import type { LiveMarkdown } from "../markdown/live.shared";

let Reader: typeof LiveMarkdown | undefined;

/** What reads Markdown in the browser, once it has loaded. */
export const loadedReader = () => Reader;

export async function loadReader(): Promise<typeof LiveMarkdown> {
  Reader ??= (await import("../markdown/live.shared")).LiveMarkdown;
  return Reader;
}

/** Fetches what reads Markdown in the browser, since an answer is about to be written. */
export function preloadMarkdown(): void {
  // The answer itself tries again, and is plain text until then.
  loadReader().catch(() => undefined);
}
