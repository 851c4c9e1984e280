import { RemixBrowser } from "@remix-run/react";

/**
 * Makes Remix decode the page's data before hydration. Its first render suspends for it without a boundary: a click or a
 * key in that time would make React give up hydration for good (error 345).
 *
 * Shown by frame.javascript.spec, "a key pressed while a page is being hydrated doesn't stop it". React Router 7
 * suspends in the same way: to be tried without at React 19.
 */
export async function decodePageData(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (decoding) {
    await decoding;
  }
}
