import { onAbort } from "~/core/abort";
import type { EventSink } from "~/platform/endpoint/answers.shared";
import type { StreamClient } from "./context";

/** Heartbeat interval (ms): proxies close streams that are silent for a minute. */
const HEARTBEAT = 15_000;
const HEARTBEAT_COMMENT = ": still here\n\n";

const serverSentEvent = (data: string, id?: number | string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`;

/** Headers that keep proxies from buffering or changing a stream. */
export const streamHeaders = (contentType: string): Record<string, string> => ({
  "Content-Type": `${contentType}; charset=utf-8`,
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
});

/** A `text/event-stream` response. `open` returns a cleanup function. */
export function eventStream(
  client: StreamClient,
  open: (sink: EventSink) => () => void,
  headers: HeadersInit = {},
): Response {
  return new Response(
    textStream(client, (write, end) => {
      const heartbeat = setInterval(() => write(HEARTBEAT_COMMENT), HEARTBEAT);
      let done = false;
      const sink: EventSink = {
        send: (data, id) => write(serverSentEvent(data, id)),
        close: end,
        unread: client.waiting,
        get closed() {
          return done;
        },
      };
      const cleanUp = open(sink);
      return () => {
        done = true;
        clearInterval(heartbeat);
        cleanUp();
      };
    }),
    { headers: { ...streamHeaders("text/event-stream"), ...Object.fromEntries(new Headers(headers)) } },
  );
}

/** Buffer limit for a slow client (bytes); beyond it the stream ends and the client resumes. */
const MAX_BACKLOG = 4 * 1024 * 1024;

/** An HTML page sent as it is written. @param open as for `textStream` */
export function htmlStream(...stream: Parameters<typeof textStream>): Response {
  return new Response(textStream(...stream), { headers: streamHeaders("text/html") });
}

/**
 * A text stream; slow clients are disconnected.
 * @param open receives `write` and `end` and returns a cleanup function
 */
export function textStream(
  client: StreamClient,
  open: (write: (text: string) => void, end: () => void) => () => void,
): ReadableStream<Uint8Array> {
  const { closed } = client;
  const encoder = new TextEncoder();
  let finish = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let over = false;
        let cleanUp: (() => void) | undefined;
        let release = () => {};
        finish = () => {
          if (over) return;
          over = true;
          release();
          cleanUp?.();
          try {
            controller.close();
          } catch {
            // The client has already closed the stream.
          }
        };
        cleanUp = open(
          (text) => {
            if (over) return;
            controller.enqueue(encoder.encode(text));
            // Remix reads without backpressure, so unread data stays in the response's buffer.
            if (client.waiting() > MAX_BACKLOG) {
              finish();
              client.cutOff();
            } else if ((controller.desiredSize ?? 0) < -MAX_BACKLOG) finish();
          },
          () => finish(),
        );
        if (over) cleanUp();
        else release = onAbort(closed, finish);
      },
      cancel: () => finish(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 }),
  );
}
