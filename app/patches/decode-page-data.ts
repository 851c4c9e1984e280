import { RemixBrowser } from "@remix-run/react";

/**
 * Makes Remix decode the page's data before hydration. Its first render suspends for it without a boundary: a click or a
 * key in that time would make React give up hydration for good (error 345).
 *
 * Shown by frame.javascript.spec, "a key pressed while a page is being hydrated doesn't stop it". Goes with React 19,
 * whose root may suspend, if that test passes without it.
 */
export async function decodePageData(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (decoding) {
    await decoding;
  }
}
