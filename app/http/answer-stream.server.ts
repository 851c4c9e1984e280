import { type Follow, type Listener, lastEvent, STREAM_VERSION } from "~/work/chat/answer-events.shared";
import type { DirectResponse } from "./direct.server";
import { HEARTBEAT, HEARTBEAT_COMMENT, serverSentEvent } from "./sse.server";

interface Target {
  conversationId: string;
  follow: Follow;
}

const UNBUFFERED = { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" };

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

export function sendAnswer(
  { conversationId, follow }: Target,
  client: { response: DirectResponse; signal: AbortSignal; accept: string | undefined },
): void {
  const { response, signal } = client;
  const isText = prefersText(client.accept ?? null);
  let stop: (() => void) | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let isOver = false;
  const cleanUp = () => {
    if (isOver) return;
    isOver = true;
    clearInterval(heartbeat);
    signal.removeEventListener("abort", cleanUp);
    stop?.();
  };
  const end = () => {
    if (isOver) return;
    cleanUp();
    response.end();
  };
  // Bare text has no other way to say that it isn't whole.
  const breakOff = () => {
    cleanUp();
    response.abort();
  };
  const write = (text: string) => {
    if (!isOver) response.push(text);
  };
  const headers = { ...UNBUFFERED, "X-Conversation-Id": conversationId };
  if (isText) response.begin("text/plain; charset=utf-8", headers);
  else {
    response.begin("text/event-stream; charset=utf-8", { ...headers, ...STREAM_VERSION });
    heartbeat = setInterval(write, HEARTBEAT, HEARTBEAT_COMMENT);
  }
  signal.addEventListener("abort", cleanUp, { once: true });
  stop = follow(
    isText
      ? textListener(write, end, breakOff)
      : (event, interruption) => {
          write(event ? serverSentEvent(event.json, event.id) : serverSentEvent(lastEvent(interruption)));
          if (!event) end();
        },
  );
  if (!stop || signal.aborted) end();
  else if (isOver) stop();
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
