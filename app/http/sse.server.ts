import type { StreamClient } from "./context";

/** Milliseconds between two heartbeats: proxies cut a stream that is silent for a minute. */
export const HEARTBEAT = 15_000;
export const STILL_HERE = ": still here\n\n";

export const serverSentEvent = (data: string, id?: number | string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`;

/** What writes events into a stream. */
export interface EventSink {
  /** One event; its `id` is where a reader that lost the connection continues. */
  send(data: string, id?: number | string): void;
  close(): void;
  readonly closed: boolean;
}

/**
 * A `text/event-stream` answer. `open` gets the sink and returns what to do when the stream ends from either side.
 */
export function eventStream(
  client: StreamClient,
  open: (sink: EventSink) => () => void,
  headers: HeadersInit = {},
): Response {
  return new Response(
    textStream(client, (write, end) => {
      const heartbeat = setInterval(() => write(STILL_HERE), HEARTBEAT);
      let done = false;
      const sink: EventSink = {
        send: (data, id) => write(serverSentEvent(data, id)),
        close: end,
        get closed() {
          return done;
        },
      };
      const leave = open(sink);
      return () => {
        done = true;
        clearInterval(heartbeat);
        leave();
      };
    }),
    {
      headers: {
        "Content-Type": "text/event-stream; charset=utf-8",
        "Cache-Control": "no-cache, no-transform",
        "X-Accel-Buffering": "no",
        ...Object.fromEntries(new Headers(headers)),
      },
    },
  );
}

/** How much may wait for a slow reader, in bytes, before its stream is ended. It can resume. */
const MAX_BACKLOG = 4 * 1024 * 1024;

/**
 * A byte stream that is written to from outside. A reader too slow to keep up is cut off rather than filling memory.
 *
 * @param open is called at once with `write` and `end`; what it returns runs once, when the stream is over
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
        let leave: (() => void) | undefined;
        finish = () => {
          if (over) return;
          over = true;
          closed.removeEventListener("abort", finish);
          leave?.();
          try {
            controller.close();
          } catch {
            // The reader has cancelled: the stream is closed already, which is what was wanted.
          }
        };
        leave = open(
          (text) => {
            if (over) return;
            controller.enqueue(encoder.encode(text));
            // Remix reads as fast as it can, whether or not the client does: what the client leaves lies in the response.
            if (client.waiting() > MAX_BACKLOG) {
              finish();
              client.cutOff();
            } else if ((controller.desiredSize ?? 0) < -MAX_BACKLOG) finish();
          },
          () => finish(),
        );
        if (over) leave();
        else if (closed.aborted) finish();
        else closed.addEventListener("abort", finish, { once: true });
      },
      cancel: () => finish(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 }),
  );
}
