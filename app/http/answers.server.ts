import { createReadableStreamFromReadable } from "@remix-run/node";
import { Answer, type Relay } from "~/platform/endpoint/answers.shared";
import { clearSessionCookie } from "./authentication.server";
import type { EdgeContext } from "./context";
import { download, downloadStream, showImage } from "./download.server";
import { eventStream, streamHeaders, textStream } from "./send-response.server";
import { redirectWithFailure, redirectWithToast } from "./toast.server";

function json(value: unknown, init: { status?: number; headers?: HeadersInit } = {}): Response {
  const headers = new Headers(init.headers);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  const status = init.status ?? 200;
  if (status === 204 || value === undefined) return new Response(null, { status, headers });
  headers.set("Content-Type", "application/json; charset=utf-8");
  return new Response(JSON.stringify(value), { status, headers });
}

/**
 * A JSON array with the next page in the `Link` header (RFC 8288).
 * @param list the list's address if it isn't the request's
 */
function paged(
  request: Request,
  items: readonly unknown[],
  next: string | undefined,
  list = request.url,
): Response {
  if (next === undefined) return json(items);
  const url = new URL(list, request.url);
  url.searchParams.set("cursor", next);
  return json(items, { headers: { Link: `<${url.pathname}${url.search}>; rel="next"` } });
}

/** In bytes, before a relay waits for its caller. */
const RELAY_BUFFER = 64 * 1024;

/** Runs a relay for as long as its caller reads. @param closed aborts with the reason to stop */
function relayed(run: Relay, closed: AbortSignal): ReadableStream<Uint8Array> {
  let goOn = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const write = (piece: Uint8Array) => {
          closed.throwIfAborted();
          controller.enqueue(piece);
          if ((controller.desiredSize ?? 0) > 0) return undefined;
          return new Promise<void>((resolve, reject) => {
            const stop = () => reject(closed.reason);
            closed.addEventListener("abort", stop, { once: true });
            goOn = () => {
              closed.removeEventListener("abort", stop);
              resolve();
            };
          });
        };
        const end = (last: string | undefined) => {
          if (last !== undefined) controller.enqueue(Buffer.from(last));
          controller.close();
        };
        // A caller that has gone has closed the stream already.
        run(write)
          .then(end)
          .catch((error: unknown) => controller.error(error));
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
        headers: { "Content-Type": content.type, "Cache-Control": "no-store" },
      });
    case "bytes":
      return new Response(content.body as BodyInit, {
        headers: {
          "Cache-Control": "no-store",
          ...content.headers,
          "Content-Type": content.type,
          "Content-Length": String(Buffer.byteLength(content.body)),
        },
      });
    case "relay":
      return new Response(relayed(content.relay, context.closed), {
        headers: {
          "Cache-Control": "no-store",
          "X-Accel-Buffering": "no",
          ...content.headers,
          "Content-Type": content.type,
        },
      });
    case "text-file":
      return downloadStream(context, content);
    case "image":
      return showImage(request, content);
  }
}
