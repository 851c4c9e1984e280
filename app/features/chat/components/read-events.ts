import { readServerEvents } from "~/ui/server-events";
import { foldChunk, withAnswer } from "../answer-state.shared";
import type { StreamChunk } from "../stream.schema";
import type { AnswerEvent, State } from "./answer-reducer";

/** Reads server-sent events. @returns false if the connection was lost */
export async function readEvents(
  response: Response,
  onEvent: (event: AnswerEvent) => void,
): Promise<boolean> {
  if (!response.body) return false;
  let finished = false;
  await readServerEvents(response.body, ({ id, data }) => {
    if (data === "[DONE]") {
      finished = true;
      return onEvent("done");
    }
    // Our server validated it; newer kinds are ignored.
    onEvent({ id: Number(id), chunk: JSON.parse(data) as StreamChunk });
  });
  return finished;
}

/** Adds events to the running answer. */
export function foldEvents(state: State, events: readonly AnswerEvent[]): State {
  if (!state.live) return state;
  let { message: shown, answer } = state.live;
  let over = false;
  for (const event of events) {
    if (event === "done") over = true;
    else {
      if (event.chunk.type === "start") {
        shown = { ...shown, id: event.chunk.messageId, model: event.chunk.messageMetadata.model };
      }
      answer = foldChunk(answer, event.chunk);
    }
  }
  const live = { message: withAnswer(shown, answer), answer };
  return over
    ? { ...state, messages: [...state.messages, live.message], live: undefined }
    : { ...state, live };
}
