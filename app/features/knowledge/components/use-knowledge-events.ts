import { useEffect, useRef } from "react";
import type { KnowledgeEvent } from "../ingest.schema";

interface Listener {
  /** Whether to listen on while nobody looks at the page. */
  whileHidden: boolean;
  /** @param again whether the connection had been away: what happened meanwhile was told to nobody */
  onOpen: (again: boolean) => void;
  onEvent: (event: KnowledgeEvent) => void;
}

/**
 * Listens to what happens to documents as long as the page is in sight. A browser keeps six connections to a server at
 * most, which pages in the background would take away from the others.
 */
export function useKnowledgeEvents(listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    let source: EventSource | undefined;
    let again = false;
    const follow = () => {
      if (document.visibilityState === "hidden" && !latest.current.whileHidden) {
        source?.close();
        source = undefined;
        return;
      }
      if (source && source.readyState !== EventSource.CLOSED) return;
      source = new EventSource("/api/rag/events");
      source.onopen = () => {
        latest.current.onOpen(again);
        again = true;
      };
      // The console's own server wrote it by its schema.
      source.onmessage = ({ data }: MessageEvent<string>) =>
        latest.current.onEvent(JSON.parse(data) as KnowledgeEvent);
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      source?.close();
    };
  }, []);
}
