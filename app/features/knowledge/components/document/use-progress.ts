import { useRevalidator } from "@remix-run/react";
import { useEffect } from "react";
import type { DocumentDetail } from "../../document-view.schema";
import type { KnowledgeEvent } from "../../ingest.schema";

/** Shortest time between two readings of the page, in milliseconds. */
const PAUSE = 700;

/** Reads the page again while the document is worked on, whenever the server tells of a change. */
export function useProgress({ id, status, progress }: DocumentDetail): void {
  const { revalidate } = useRevalidator();
  const busy = status === "processing" || progress !== null;
  useEffect(() => {
    if (!busy) return;
    let again: number | undefined;
    const read = () => {
      again ??= window.setTimeout(() => {
        again = undefined;
        revalidate();
      }, PAUSE);
    };
    const source = new EventSource("/api/rag/events");
    // What ended before the connection was open, nobody tells any more.
    source.onopen = read;
    source.onmessage = ({ data }: MessageEvent<string>) => {
      // The console's own server wrote it by its schema.
      const { documents, removed } = JSON.parse(data) as KnowledgeEvent;
      if (removed.includes(id) || documents.some((document) => document.id === id)) read();
    };
    return () => {
      source.close();
      clearTimeout(again);
    };
  }, [id, busy, revalidate]);
}
