import { useSyncExternalStore } from "react";

const never = () => () => undefined;

/** False during hydration, as on the server. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
