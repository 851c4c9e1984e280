import type { ServerResponse } from "node:http";
import { createReadableStreamFromReadable } from "@remix-run/node";
import type { Response as ExpressResponse } from "express";
import { onAbort, untilAborted } from "~/core/abort";
import { withBase, withoutBase } from "~/core/base-path";
import { AppError } from "~/core/errors";
import {
  Answer,
  type EventSink,
  HEARTBEAT_COMMENT,
  HEARTBEAT_MS,
  type Relay,
} from "~/platform/endpoint/endpoint.shared";
import { clearSessionCookie } from "./authentication.server";
import { type EdgeContext, requestOf, type StreamClient } from "./context.server";
import { download, downloadStream, showImage } from "./download.server";
import { toProblem } from "./status.server";
import { redirectWithFailure, redirectWithToast } from "./toast.server";

/** Time without progress before a client is disconnected, in ms. */
const STALL_TIMEOUT = 60_000;

function drained(response: ServerResponse, stalledMs: number): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      response.off("drain", settle).off("close", settle);
      resolve();
    };
    const timer = setTimeout(() => response.destroy(), stalledMs);
    response.once("drain", settle).once("close", settle);
  });
}

async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  response: ServerResponse,
  stalledMs: number,
): Promise<void> {
  let isFull = false;
  // It may drain while the source is silent.
  response.on("drain", () => {
    isFull = false;
  });
  let next = await reader.read();
  while (!next.done && !response.destroyed) {
    isFull = !response.write(next.value);
    // A response that is whole is over for its sender, however slowly it is taken.
    next = await reader.read();
    if (isFull && !next.done) await drained(response, stalledMs);
  }
}

export function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** Sends a response as fast as the client takes it. A body that fails breaks the connection off. */
export async function sendResponse(
  response: ServerResponse,
  { status, headers, body }: Response,
  stalledMs = STALL_TIMEOUT,
): Promise<void> {
  for (const [name, value] of headers)
    if (name === "set-cookie") response.appendHeader(name, value);
    else response.setHeader(name, value);
  response.writeHead(status);
  if (body) {
    const reader = body.getReader();
    const leave = () => void reader.cancel().catch(() => undefined);
    response.once("close", leave);
    if (response.destroyed) leave();
    try {
      await pump(reader, response, stalledMs);
    } catch {
      return void response.destroy();
    }
    response.off("close", leave);
  }
  // Node resets the socket's timer after the response.
  response.setTimeout(stalledMs, () => response.destroy());
  response.end();
}

export function sendProblem(response: ExpressResponse, error: unknown): void {
  // A body over its limit was already answered; later errors of the handler are irrelevant.
  if (response.writableEnded) return;
  const problem = toProblem(error, requestOf(response).context.requestId);
  if (response.headersSent) return void response.destroy();
  if (error instanceof AppError && error.retryAfter !== undefined)
    response.set("Retry-After", String(Math.ceil(error.retryAfter)));
  response.status(problem.status).set("Cache-Control", "no-store").type("application/problem+json");
  response.send(JSON.stringify(problem));
}

const serverSentEvent = (data: string, id?: number | string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`;

/** Headers that keep proxies from buffering or changing a stream. */
const streamHeaders = (contentType: string): Record<string, string> => ({
  "Content-Type": `${contentType}; charset=utf-8`,
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
});

export function eventStream(
  client: StreamClient,
  open: (sink: EventSink) => () => void,
  headers: HeadersInit = {},
): Response {
  return new Response(
    textStream(client, (write, end) => {
      const heartbeat = setInterval(() => write(HEARTBEAT_COMMENT), HEARTBEAT_MS);
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
          } catch {}
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

function json(value: unknown, init: { status?: number; headers?: HeadersInit } = {}): Response {
  const headers = new Headers(init.headers);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  const status = init.status ?? 200;
  if (status === 204 || value === undefined) return new Response(null, { status, headers });
  headers.set("Content-Type", "application/json; charset=utf-8");
  return new Response(JSON.stringify(value), { status, headers });
}

/** A JSON array with the next page in the `Link` header (RFC 8288), by default at the request's address. */
function paged(
  request: Request,
  items: readonly unknown[],
  next: string | undefined,
  list = request.url,
): Response {
  if (next === undefined) return json(items);
  const url = new URL(list, request.url);
  url.searchParams.set("cursor", next);
  return json(items, {
    headers: { Link: `<${withBase(withoutBase(url.pathname))}${url.search}>; rel="next"` },
  });
}

/** In bytes, before a relay waits for its caller. */
const RELAY_BUFFER = 64 * 1024;

/** Runs a relay for as long as its caller reads. @param closed aborts with the reason to stop */
function relayed(run: Relay, heartbeat: string, closed: AbortSignal): ReadableStream<Uint8Array> {
  let goOn = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // False for a caller that is slow, who needs no heartbeat, and for one that has gone.
        const hasRoom = () => (controller.desiredSize ?? 0) > 0;
        const timer = setInterval(() => {
          if (hasRoom()) controller.enqueue(Buffer.from(heartbeat));
        }, HEARTBEAT_MS);
        const write = (piece: Uint8Array) => {
          closed.throwIfAborted();
          timer.refresh();
          controller.enqueue(piece);
          if (hasRoom()) return undefined;
          const isRead = new Promise<void>((resolve) => {
            goOn = resolve;
          });
          return untilAborted(isRead, closed);
        };
        const end = (last: string | undefined) => {
          if (last !== undefined) controller.enqueue(Buffer.from(last));
          controller.close();
        };
        // A caller that has gone has closed the stream already.
        run(write)
          .then(end)
          .catch((error: unknown) => controller.error(error))
          .finally(() => clearInterval(timer));
      },
      pull: () => goOn(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: RELAY_BUFFER }),
  );
}

/** What a handler returned, as the response that one door sends. @param status of its bare JSON */
export function toResponse(
  result: unknown,
  status: number,
  request: Request,
  context: EdgeContext,
): Response {
  if (result instanceof Response) return result;
  if (!(result instanceof Answer)) return json(result, { status });
  const { content } = result;
  switch (content.kind) {
    case "json": {
      const headers = new Headers(content.headers);
      const location = headers.get("Location");
      if (location) headers.set("Location", withBase(location));
      if (content.endsSession) headers.append("Set-Cookie", clearSessionCookie(context));
      return json(content.value, { status: content.status, headers });
    }
    case "page":
      return paged(request, content.items, content.next, content.list);
    case "redirect":
      return "error" in content.notice
        ? redirectWithFailure(content.to, content.notice.title, content.notice.error, context)
        : redirectWithToast(content.to, content.notice, context);
    case "events":
      return eventStream(context, content.open, content.headers);
    case "text-stream": {
      const stream = textStream(context, (write, close) =>
        content.open({ write, close, breakOff: context.cutOff }),
      );
      return new Response(stream, { headers: { ...streamHeaders(content.type), ...content.headers } });
    }
    case "file":
      return download(context, content);
    case "stream":
      return new Response(createReadableStreamFromReadable(content.body), {
        headers: { "Cache-Control": "no-store", ...content.headers, "Content-Type": content.type },
      });
    case "bytes":
      return new Response(content.body as BodyInit, {
        status: content.status,
        headers: {
          "Cache-Control": "no-store",
          ...content.headers,
          "Content-Type": content.type,
          "Content-Length": String(Buffer.byteLength(content.body)),
        },
      });
    case "relay":
      return new Response(relayed(content.relay, content.heartbeat, context.closed), {
        headers: {
          "Cache-Control": "no-store",
          "X-Accel-Buffering": "no",
          ...content.headers,
          "Content-Type": "text/event-stream; charset=utf-8",
        },
      });
    case "text-file":
      return downloadStream(context, content);
    case "image":
      return showImage(request, content);
  }
}
