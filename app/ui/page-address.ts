import { useLocation } from "@remix-run/react";

/** Changed parameters of an address; undefined and "" remove one. */
type Changes = Record<string, string | undefined>;

const WITHOUT_DIALOG: Changes = { dialog: undefined, id: undefined };

/** Makes addresses of the open page and its dialogs: search, filters and page number stay. */
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
