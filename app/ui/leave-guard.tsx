import { type Blocker, useBeforeUnload, useBlocker } from "@remix-run/react";
import { createContext, type ReactNode, type RefObject, useContext, useEffect, useMemo, useRef } from "react";
import { leavesToSignIn } from "./connection";
import { useIsSending } from "./sending";

export interface Address {
  pathname: string;
  search: string;
}

export interface Guarded {
  isUnsaved: () => boolean;
  /** Whether the part is gone at the next address; without it, on another page. */
  isLeft?: (from: Address, to: Address) => boolean;
}

interface Guards {
  /** The one opened last comes last. */
  parts: Set<Guarded>;
  asking: RefObject<Guarded>;
  blocker: Blocker;
}

const GuardsContext = createContext<Guards | undefined>(undefined);

const UNBLOCKED: Blocker = {
  state: "unblocked",
  proceed: undefined,
  reset: undefined,
  location: undefined,
};

const isOtherPage = (from: Address, to: Address) => from.pathname !== to.pathname;

/** The router takes one blocker at a time; parts of the page share this one through `useLeaveGuard`. */
export function LeaveGuards({ children }: { children: ReactNode }) {
  const parts = useRef(new Set<Guarded>()).current;
  const asking = useRef<Guarded | null>(null);
  const isSending = useIsSending();
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    const asks = ({ isUnsaved, isLeft = isOtherPage }: Guarded) =>
      isLeft(currentLocation, nextLocation) && isUnsaved();
    asking.current = [...parts].findLast(asks) ?? null;
    return asking.current !== null;
  });
  useBeforeUnload((event) => {
    // A form that was sent may load a page of its own. Who signs in again finds what was typed.
    if (!isSending && !leavesToSignIn() && [...parts].some(({ isUnsaved }) => isUnsaved()))
      event.preventDefault();
  });
  const guards = useMemo(() => ({ parts, asking, blocker }), [parts, blocker]);
  return <GuardsContext.Provider value={guards}>{children}</GuardsContext.Provider>;
}

/**
 * Asks before a part of the page with unsaved changes is left, and the browser before the tab is closed.
 * @param guarded stays the same object between renders
 * @returns blocked while this part asks
 */
export function useLeaveGuard(guarded: Guarded): Blocker {
  const guards = useContext(GuardsContext);
  const parts = guards?.parts;
  useEffect(() => {
    parts?.add(guarded);
    return () => void parts?.delete(guarded);
  }, [parts, guarded]);
  return guards && guards.asking.current === guarded ? guards.blocker : UNBLOCKED;
}
