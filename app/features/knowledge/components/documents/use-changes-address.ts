import { useLocation } from "@remix-run/react";

/** Where this screen's small forms post to; it leads back to what is shown now. */
export function useChangesAddress(): string {
  const { pathname, search } = useLocation();
  return `/rag/changes?${new URLSearchParams({ returnTo: pathname + search })}`;
}
