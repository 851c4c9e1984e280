import { useNavigation, useRevalidator } from "@remix-run/react";
import { useEffect, useRef } from "react";

/**
 * Reads the page's data anew after a pause, once for all calls within it. Never while a form is being sent, another
 * page is loaded or this one read already: it would break that off, and take the message that is meant for what follows.
 *
 * @param pause in milliseconds
 */
export function useReadAnew(pause: number): () => void {
  const { revalidate, state: reading } = useRevalidator();
  const { state } = useNavigation();
  const idle = state === "idle" && reading === "idle";
  const latest = useRef(idle);
  latest.current = idle;
  const timer = useRef<number>();
  useEffect(() => () => clearTimeout(timer.current), []);
  const read = () => {
    timer.current = undefined;
    if (latest.current) revalidate();
    else timer.current = window.setTimeout(read, pause);
  };
  return () => {
    timer.current ??= window.setTimeout(read, pause);
  };
}
