import { useLocation } from "@remix-run/react";

export function useChangesAddress(): string {
  const { pathname, search } = useLocation();
  return `/rag/changes?${new URLSearchParams({ returnTo: pathname + search })}`;
}
