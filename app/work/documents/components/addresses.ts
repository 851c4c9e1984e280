import { useLocation } from "@remix-run/react";
import type { DialogView, ListView, SearchView } from "../screens/rag-screen.schema";

type Change = Partial<Record<keyof ListView | keyof SearchView | keyof DialogView, string>>;

export function ragAddress(view: ListView, change: Change = {}): string {
  const parameters = Object.entries({ ...view, ...change }).filter(([, value]) => value !== "");
  return parameters.length > 0 ? `/rag?${new URLSearchParams(parameters)}` : "/rag";
}

export function listAddress(view: ListView, change: Change): string {
  return ragAddress({ ...view, cursor: "" }, change);
}

export function useChangesAddress(): string {
  const { pathname, search } = useLocation();
  return `/rag/changes?${new URLSearchParams({ returnTo: pathname + search })}`;
}
