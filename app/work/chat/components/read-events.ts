import { isStreamChunk, parseEvent } from "~/ai/tools/stream-event.shared";
import { readServerEvents } from "~/ui/server-events";
import { withAnswer } from "../answer-state.shared";
import { foldChunk } from "../fold-answer.shared";
import type { AnswerEvent, State } from "./answer-reducer";

/** How a stream ended: all of it was read, the connection was lost, or an event is malformed. */
export type StreamEnd = "done" | "lost" | "unreadable";

/** Reads server-sent events up to the first malformed one. */
export async function readEvents(
  response: Response,
  onEvent: (event: AnswerEvent) => void,
): Promise<StreamEnd> {
  if (!response.body) return "lost";
  let end: StreamEnd = "lost";
  const onServerEvent = ({ id, data }: { id: string | undefined; data: string }) => {
    if (end !== "lost") return;
    if (data === "[DONE]") {
      end = "done";
      return onEvent("done");
    }
    // About the connection, not the answer: the server restarts.
    if (id === undefined) return;
    const chunk = parseEvent(data);
    if (isStreamChunk(chunk)) onEvent({ id: Number(id), chunk });
    else end = "unreadable";
  };
  await readServerEvents(response.body, onServerEvent, () => end === "unreadable");
  return end;
}

export function foldEvents(state: State, events: readonly AnswerEvent[]): State {
  if (!state.live) return state;
  let { message, answer } = state.live;
  let isDone = false;
  for (const event of events) {
    if (event === "done") isDone = true;
    else {
      if (event.chunk.type === "start") {
        const { messageId: id, messageMetadata } = event.chunk;
        const { model, persona = message.persona } = messageMetadata;
        message = { ...message, id, model, persona };
      }
      answer = foldChunk(answer, event.chunk);
    }
  }
  const live = { message: withAnswer(message, answer), answer };
  return isDone
    ? { ...state, messages: [...state.messages, live.message], live: undefined }
    : { ...state, live };
}
