import type { ShouldRevalidateFunction } from "@remix-run/react";

interface Options {
  names?: readonly string[];
  loads?: (to: URL) => boolean;
  /** Whether the page can show that the record of its open form was deleted. */
  showsMissing?: boolean;
}

const withoutNames = (url: URL, names: readonly string[]) =>
  [...url.searchParams]
    .filter(([name]) => !names.includes(name))
    .map(String)
    .sort()
    .join("&");

const isDialogBelow = (page: URL, dialog: URL) =>
  dialog.searchParams.has("dialog") && dialog.pathname.startsWith(`${page.pathname}/`);

function isOnlyOpening(from: URL, to: URL, { names = ["dialog", "id"], loads }: Options = {}) {
  if (from.pathname === to.pathname) {
    if (from.search === to.search) return false;
  } else if (!isDialogBelow(from, to) && !isDialogBelow(to, from)) return false;
  if (withoutNames(from, names) !== withoutNames(to, names)) return false;
  return !loads?.(to);
}

/** Opening and closing dialogs loads nothing; `useOpenDialog()` loads what else they need. */
export function ignoreDialogParams(options?: Options): ShouldRevalidateFunction {
  return (change) => {
    const { currentUrl, nextUrl, formMethod, actionResult } = change;
    const isPlainMove = formMethod === undefined && actionResult === undefined;
    if (isPlainMove && isOnlyOpening(currentUrl, nextUrl, options)) return false;
    if (options?.showsMissing && change.actionStatus === 404) return true;
    return revalidateOnConflict(change);
  };
}

/** After a conflict the form needs the current version. */
export const revalidateOnConflict: ShouldRevalidateFunction = ({ actionStatus, defaultShouldRevalidate }) =>
  actionStatus === 409 || defaultShouldRevalidate;
