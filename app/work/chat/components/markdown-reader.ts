import type { LiveMarkdown } from "../markdown/live.shared";

let Reader: typeof LiveMarkdown | undefined;

/** The browser's Markdown parser; undefined until it has loaded. */
export const loadedReader = () => Reader;

export async function loadReader(): Promise<typeof LiveMarkdown> {
  Reader ??= (await import("../markdown/live.shared")).LiveMarkdown;
  return Reader;
}

/** Loads the Markdown parser before an answer streams. */
export function preloadMarkdown(): void {
  // The answer itself tries again, and is plain text until then.
  loadReader().catch(() => undefined);
}
