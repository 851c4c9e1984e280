import { type Answer, events } from "~/platform/endpoint/answers.shared";

type AnswerChunk = { type: string; delta?: string; errorText?: string };
export type Listener = (
  event: { id: number; json: string; chunk: AnswerChunk } | undefined,
  interruption?: string,
) => void;
export type Follow = (listener: Listener) => (() => void) | undefined;

/** The AI SDK's protocol version (https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol). */
export const STREAM_VERSION = { "x-vercel-ai-ui-message-stream": "v1" };

/** A stream's last event: without an id and [DONE] if a restart cut it off, so that a client resumes. */
export const lastEvent = (interruption: string | undefined): string =>
  interruption === undefined ? "[DONE]" : JSON.stringify({ type: "error", errorText: interruption });

/** The AI SDK's UI message stream (v1) as server-sent events. */
export function answerEvents(conversationId: string, follow: Follow): Answer {
  return events(
    (sink) => {
      const stop = follow((event, interruption) => {
        if (event) return sink.send(event.json, event.id);
        sink.send(lastEvent(interruption));
        sink.close();
      });
      if (!stop) sink.close();
      return stop ?? (() => {});
    },
    { ...STREAM_VERSION, "X-Conversation-Id": conversationId },
  );
}
