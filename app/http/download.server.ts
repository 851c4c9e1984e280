import { setTimeout } from "node:timers/promises";
import { create } from "content-disposition";
import type { StreamClient } from "./context";

/** How much of a download may wait for its client, in bytes. */
const MAX_WAITING = 1024 * 1024;
/** Milliseconds between two looks whether the client has taken some of it. */
const LOOK_EVERY = 20;

interface Download {
  name: string;
  /** In bytes. */
  size: number;
  /** Read one by one, when the client has taken those before. */
  pieces: Iterable<Uint8Array>;
}

/** Remix reads as fast as it can, whether or not the client does: a slow one must not fill the memory. */
async function untilTaken({ waiting, closed }: StreamClient): Promise<void> {
  while (waiting() > MAX_WAITING && !closed.aborted) await setTimeout(LOOK_EVERY);
}

const SANDBOXED = { "Content-Security-Policy": "sandbox; default-src 'none'" };

const disposition = (type: "attachment" | "inline", name: string) => create(name.toWellFormed(), { type });

function attachment(name: string) {
  return {
    "Content-Disposition": disposition("attachment", name),
    ...SANDBOXED,
    "Cache-Control": "private, no-store",
  };
}

interface ShownImage {
  name: string;
  /** Found in the bytes; of a raster image. */
  mediaType: string;
  bytes: Uint8Array;
  /** Changes with the bytes. */
  tag: string;
}

/** A raster image to be shown. The browser asks each time whether it may still show the one that it has kept. */
export function showImage(request: Request, { name, mediaType, bytes, tag }: ShownImage): Response {
  const headers = {
    "Content-Disposition": disposition("inline", name),
    ...SANDBOXED,
    "Cache-Control": "private, no-cache",
    ETag: `"${tag}"`,
  };
  if (request.headers.get("if-none-match") === headers.ETag)
    return new Response(null, { status: 304, headers });
  return new Response(new Uint8Array(bytes), { headers: { ...headers, "Content-Type": mediaType } });
}

/**
 * Bytes as a file to be kept. Never shown in the browser: they may be anything, and nothing that came from outside runs
 * under this address. (`nosniff` is on every answer.)
 */
export function download(client: StreamClient, { name, size, pieces }: Download): Response {
  const next = pieces[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await untilTaken(client);
        const piece = client.closed.aborted ? undefined : next.next();
        if (!piece || piece.done) controller.close();
        else controller.enqueue(piece.value);
      },
      cancel() {
        next.return?.();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  return new Response(body, {
    headers: {
      "Content-Type": "application/octet-stream",
      "Content-Length": String(size),
      ...attachment(name),
    },
  });
}

interface DownloadStream {
  name: string;
  /** The media type. */
  type: string;
  pieces: AsyncIterator<string>;
}

/** A text of unknown length as a file, made while the client takes it. */
export function downloadStream(client: StreamClient, { name, type, pieces }: DownloadStream): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await untilTaken(client);
        const { value, done } = client.closed.aborted
          ? { value: undefined, done: true }
          : await pieces.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        await pieces.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "Content-Type": type, ...attachment(name) } });
}
