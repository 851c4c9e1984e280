import { type Dispatch, useCallback } from "react";
import { afterHydration } from "~/ui/render-batch";
import type { AnswerEvent, Change } from "./answer-reducer";
import type { StreamEnd } from "./read-events";

/** Reads an answer's stream into the chat's state. @param onEvent called with each event; stays the same */
export function useEventReader(dispatch: Dispatch<Change>, onEvent?: (event: AnswerEvent) => void) {
  return useCallback(
    async (response: Response, signal: AbortSignal): Promise<StreamEnd> => {
      const { readEvents, foldEvents } = await import("./read-events");
      let waiting: AnswerEvent[] = [];
      let frame: number | undefined;
      // At most one render per frame; a timer covers hidden tabs, which have no frames. The answer so far is read on while
      // a long conversation is hydrated, and then shown.
      const show = () => {
        if (frame !== undefined) clearTimeout(frame);
        frame = undefined;
        const events = waiting;
        waiting = [];
        if (!signal.aborted && events.length > 0) dispatch({ type: "events", events, fold: foldEvents });
      };
      try {
        return await readEvents(response, (event) => {
          onEvent?.(event);
          waiting.push(event);
          frame ??= window.setTimeout(() => afterHydration(show), 16);
        });
      } finally {
        show();
      }
    },
    [dispatch, onEvent],
  );
}
