import { useRef } from "react";
import type { DocumentDetail } from "../../document-view.schema";
import { useKnowledgeEvents } from "../use-knowledge-events";
import { useReadAnew } from "../use-read-anew";

/** Shortest time between two readings of the page, in milliseconds. */
const PAUSE = 700;

/** Reads the page again whenever the server tells of a change of the document, or that there are fewer of them. */
export function useProgress({ id, status, progress }: DocumentDetail): void {
  const busy = status === "processing" || progress !== null;
  const total = useRef<number>();
  const read = useReadAnew(PAUSE);
  useKnowledgeEvents({
    whileHidden: busy,
    // What ended before the connection was open, nobody tells any more.
    onOpen: (again) => {
      if (busy || again) read();
    },
    onEvent: ({ documents, stats }) => {
      // It may be this one that was hidden or deleted: its id is told to nobody then.
      const fewer = total.current === undefined || stats.total < total.current;
      total.current = stats.total;
      if (fewer || documents.some((document) => document.id === id)) read();
    },
  });
}
