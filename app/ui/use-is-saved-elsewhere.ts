import { useLocation, useNavigation } from "@remix-run/react";

/**
 * Whether a form of this page was accepted and the page after it is loading. A redirect to sign in is none: it
 * loads the document.
 */
export function useIsSavedElsewhere(): boolean {
  const { pathname, search } = useLocation();
  const { state, formMethod, location } = useNavigation();
  return (
    state === "loading" &&
    formMethod === "POST" &&
    (location.pathname !== pathname || location.search !== search)
  );
}
