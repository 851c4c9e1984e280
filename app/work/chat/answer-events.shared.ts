import { type Answer, events, text } from "~/platform/endpoint/answers.shared";

type AnswerChunk = { type: string; delta?: string; errorText?: string };
type Listener = (
  event: { id: number; json: string; chunk: AnswerChunk } | undefined,
  interruption?: string,
) => void;
export type Follow = (listener: Listener) => (() => void) | undefined;

/** The AI SDK's protocol version (https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol). */
const STREAM_VERSION = { "x-vercel-ai-ui-message-stream": "v1" };

/** A stream's last event: without an id and [DONE] if a restart cut it off, so that a client resumes. */
const lastEvent = (interruption: string | undefined): string =>
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

function textListener(write: (text: string) => void, end: () => void, breakOff: () => void): Listener {
  let begun = false;
  return (event, interruption) => {
    if (!event) return interruption === undefined ? end() : breakOff();
    const { type, delta, errorText } = event.chunk;
    if (type === "text-start" && begun) write("\n\n");
    if (type === "text-delta" && delta) {
      begun = true;
      write(delta);
    }
    // After the headers an error can only go into the text.
    if (type === "error") write(`${begun ? "\n\n" : ""}${errorText}`);
  };
}

/** The answer's bare text; one that is cut off breaks the connection off. */
function answerText(conversationId: string, follow: Follow): Answer {
  return text(
    "text/plain",
    (sink) => {
      const stop = follow(textListener(sink.write, sink.close, sink.breakOff));
      if (!stop) sink.close();
      return stop ?? (() => {});
    },
    { "X-Conversation-Id": conversationId },
  );
}

/** Whether `Accept` prefers plain text. */
export function prefersText(accept: string | null): boolean {
  const weight = (type: string) => {
    for (const item of (accept ?? "").toLowerCase().split(",")) {
      const [name, ...parameters] = item.split(";").map((part) => part.trim());
      if (name !== type) continue;
      const quality = parameters.find((parameter) => parameter.startsWith("q="));
      return quality ? Number(quality.slice(2)) || 0 : 1;
    }
    return 0;
  };
  return weight("text/plain") > weight("text/event-stream");
}

/** An answer as its reader prefers it by `Accept`: events, or bare text. */
export function streamAnswer(conversationId: string, follow: Follow, accept: string | null): Answer {
  return prefersText(accept) ? answerText(conversationId, follow) : answerEvents(conversationId, follow);
}
