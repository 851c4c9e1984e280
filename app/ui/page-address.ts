import { useLocation } from "@remix-run/react";

/** Changed parameters of an address; undefined and "" remove one. */
type Changes = Record<string, string | undefined>;

/** As the server returns there after a form. */
const WITHOUT_DIALOG: Changes = { dialog: undefined, id: undefined };

/**
 * Makes addresses of the open page, such as those of its dialogs: its search, filters and page number stay, which a link
 * to `?dialog=…` would drop. Without changes, it is the page without a dialog.
 */
export function usePageAddress(): (changes?: Changes) => string {
  const { pathname, search } = useLocation();
  return (changes) => {
    const parameters = new URLSearchParams(search);
    for (const [name, value] of Object.entries({ ...WITHOUT_DIALOG, ...changes }))
      if (value) parameters.set(name, value);
      else parameters.delete(name);
    return parameters.size > 0 ? `${pathname}?${parameters}` : pathname;
  };
}
