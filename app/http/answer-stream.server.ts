import type { EdgeContext } from "./context";
import { eventStream, textStream } from "./sse.server";

type AnswerChunk = { type: string; delta?: string; errorText?: string };
type Listener = (event: { id: number; json: string; chunk: AnswerChunk } | undefined) => void;
/** Listens to an answer; undefined when there is nothing to hear. */
export type Follow = (listener: Listener) => (() => void) | undefined;

interface Target {
  conversationId: string;
  follow: Follow;
}

/** An answer as the AI SDK's UI message stream (v1) in server-sent events, each with its id. */
export function answerEvents({ conversationId, follow }: Target, context: EdgeContext): Response {
  return eventStream(
    context,
    (sink) => {
      const stop = follow((event) => {
        if (event) return sink.send(event.json, event.id);
        sink.send("[DONE]");
        sink.close();
      });
      if (!stop) sink.close();
      return stop ?? (() => {});
    },
    { "X-Conversation-Id": conversationId, "x-vercel-ai-ui-message-stream": "v1" },
  );
}

/** An answer's bare text, for a client that appends what it reads. */
export function answerText({ conversationId, follow }: Target, context: EdgeContext): Response {
  const body = textStream(context, (write, end) => {
    let begun = false;
    const stop = follow((event) => {
      if (!event) return end();
      const { type, delta, errorText } = event.chunk;
      if (type === "text-start" && begun) write("\n\n");
      if (type === "text-delta" && delta) {
        begun = true;
        write(delta);
      }
      // A stream that has begun has no other place to say it.
      if (type === "error") write(`${begun ? "\n\n" : ""}${errorText}`);
    });
    if (!stop) end();
    return stop ?? (() => {});
  });
  return new Response(body, {
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "no-cache, no-transform",
      "X-Accel-Buffering": "no",
      "X-Conversation-Id": conversationId,
    },
  });
}

/** Whether a client asks for plain text rather than events, by the weights of its `Accept` header. */
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
