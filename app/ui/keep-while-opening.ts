import type { ShouldRevalidateFunction } from "@remix-run/react";
import { revalidateOnConflict } from "./revalidate-on-conflict";

interface Options {
  /** Parameters that only open or close something on the page. */
  names?: readonly string[];
  /** Addresses that aren't opened only, such as a search in a dialog. */
  loads?: (to: URL) => boolean;
}

const withoutNames = (url: URL, names: readonly string[]) =>
  [...url.searchParams]
    .filter(([name]) => !names.includes(name))
    .map(String)
    .sort()
    .join("&");

/** An address below the page's own that has a dialog shows it over that page. */
const isDialogBelow = (page: URL, dialog: URL) =>
  dialog.searchParams.has("dialog") && dialog.pathname.startsWith(`${page.pathname}/`);

/** Whether two addresses differ in nothing but what is open. */
function isOnlyOpening(from: URL, to: URL, { names = ["dialog", "id"], loads }: Options = {}) {
  if (from.pathname === to.pathname) {
    if (from.search === to.search) return false;
  } else if (!isDialogBelow(from, to) && !isDialogBelow(to, from)) return false;
  if (withoutNames(from, names) !== withoutNames(to, names)) return false;
  return !loads?.(to);
}

/**
 * A route's `shouldRevalidate`: opening and closing a dialog loads nothing, so that it takes one frame. What a dialog
 * shows comes from what the page has; `useOpened()` loads what else it needs once it is open.
 */
export function keepWhileOpening(options?: Options): ShouldRevalidateFunction {
  return (change) => {
    const { currentUrl, nextUrl, formMethod, actionResult } = change;
    const isPlainMove = formMethod === undefined && actionResult === undefined;
    if (isPlainMove && isOnlyOpening(currentUrl, nextUrl, options)) return false;
    return revalidateOnConflict(change);
  };
}
