import { useCallback, useEffect, useMemo, useReducer, useRef } from "react";
import { UNREADABLE_ANSWER } from "~/ai/tools/stream-event.shared";
import { withBase } from "~/core/base-path";
import { problemDetail, UNREACHABLE } from "~/ui/failures";
import type { ChatMessage } from "../chat.schema";
import { transcriptOf } from "../temporary/transcript.shared";
import { EMPTY, message, reduce, type State } from "./answer-reducer";
import { useEventReader } from "./use-event-reader";

const TOO_LONG = "This chat is too long to go on. Keep it, or start a new one.";
const LOST = "The connection to the server was lost, and the answer with it. Ask again.";

/**
 * The state of a chat that this page alone holds: each question is sent with all before it, and an answer ends with its
 * connection.
 * @param first what a form without JavaScript has brought so far
 */
export function useTemporaryAnswer(first: ChatMessage[]) {
  const [state, dispatch] = useReducer(reduce, first, (messages): State => ({ ...EMPTY, messages }));
  const current = useRef(state);
  current.current = state;
  const reading = useRef<AbortController>();
  const read = useEventReader(dispatch);

  /** @returns why the question wasn't taken */
  const send = useCallback(
    async (text: string, options: Record<string, unknown>): Promise<string | undefined> => {
      const before = current.current;
      const messages = [...before.messages, message("user", text)];
      reading.current?.abort();
      const controller = new AbortController();
      reading.current = controller;
      const { signal } = controller;
      dispatch({ type: "sent", messages, answer: message("assistant", "") });
      const refuse = (detail: string) => {
        dispatch({ type: "reset", state: before });
        return detail;
      };
      try {
        const response = await fetch(withBase("/api/ai/chat"), {
          method: "POST",
          headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
          body: JSON.stringify({ ...options, temporary: true, messages: transcriptOf(messages) }),
          signal,
        });
        if (response.status === 413) return refuse(TOO_LONG);
        if (!response.ok) return refuse(await problemDetail(response));
        const end = await read(response, signal);
        if (end === "unreadable") dispatch({ type: "refused", detail: UNREADABLE_ANSWER });
        if (end === "lost" && !signal.aborted) dispatch({ type: "refused", detail: LOST });
      } catch {
        if (signal.aborted) return undefined;
        if (current.current.live?.answer.parts.length) dispatch({ type: "refused", detail: LOST });
        else return refuse(UNREACHABLE);
      }
      return undefined;
    },
    [read],
  );

  const stop = useCallback(() => {
    reading.current?.abort();
    dispatch({ type: "stopped" });
  }, []);

  const clear = useCallback(() => {
    reading.current?.abort();
    dispatch({ type: "reset", state: EMPTY });
  }, []);

  useEffect(() => () => reading.current?.abort(), []);

  const messages = useMemo(
    () => (state.live ? [...state.messages, state.live.message] : state.messages),
    [state.messages, state.live],
  );
  return { messages, loading: state.live !== undefined, send, stop, clear };
}
