import { type ActionImpl, useKBar } from "kbar";
import { useEffect, useLayoutEffect, useRef } from "react";
import { commands } from "./commands";

interface ShownResults {
  results: readonly (ActionImpl | string)[];
  /** The text that they match. */
  search: string;
  /** Whether the server's items are those of that text. */
  isComplete: boolean;
}

/**
 * Holds an Enter right behind quick typing until the results are those of the typed text, then runs the first one:
 * kbar shows them in a later task, and the server's items follow.
 */
export function useHeldEnter(shown: ShownResults): void {
  const { query, activeIndex } = useKBar((state) => ({ activeIndex: state.activeIndex }));
  const isHeld = useRef(false);
  /** The text for which kbar has selected the first result. */
  const selectedFor = useRef<string>();
  const first = shown.results.findIndex((item) => typeof item !== "string");
  if (activeIndex === first) selectedFor.current = shown.search;

  const isReady = () => {
    if (query.getInput().value !== shown.search) return false;
    const active = shown.results[activeIndex];
    const isCommand = typeof active === "object" && commands.some(({ id }) => id === active.id);
    if (first < 0) return shown.isComplete;
    // By an arrow key or the mouse.
    if (activeIndex !== first) return selectedFor.current === shown.search;
    return isCommand || shown.isComplete;
  };
  const latest = useRef(isReady);
  latest.current = isReady;

  // A layout effect: the list's own listener must come second.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.isComposing) return;
      isHeld.current = event.key === "Enter" && !latest.current();
      if (!isHeld.current) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    window.addEventListener("keydown", onKey, true);
    return () => window.removeEventListener("keydown", onKey, true);
  }, []);

  useEffect(() => {
    if (!isHeld.current || !latest.current()) return;
    isHeld.current = false;
    const active = shown.results[activeIndex];
    if (typeof active !== "object") return;
    // As kbar does on a click: a list that just appeared has no rows yet.
    active.command?.perform(active);
    query.toggle();
  });
}
