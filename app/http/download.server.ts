import { setTimeout } from "node:timers/promises";
import { create } from "content-disposition";
import type { StreamClient } from "./context.server";

/** Buffer limit of a download, in bytes. */
const MAX_WAITING = 1024 * 1024;
/** Interval of checking the buffer, in ms. */
const BUFFER_CHECK_MS = 20;

async function untilTaken({ waiting, closed }: StreamClient): Promise<void> {
  while (waiting() > MAX_WAITING && !closed.aborted) await setTimeout(BUFFER_CHECK_MS);
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

/** @param name of what is exported, in any script; the file's is made of it */
export function downloadJson(name: string, fallback: string, value: unknown): Response {
  const file =
    name
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-|-$/g, "")
      .toLowerCase() || fallback;
  return new Response(`${JSON.stringify(value, null, 2)}\n`, {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": disposition("attachment", `${file}.json`),
      "Cache-Control": "no-store",
    },
  });
}

interface ShownImage {
  name: string;
  mediaType: string;
  bytes: Uint8Array;
  tag: string;
}

/** RFC 9110, section 13.1.2: any of a list of tags, strong or weak, or any at all. */
const matchesTag = (given: string, tag: string): boolean =>
  given.trim() === "*" || given.split(",").some((one) => one.trim().replace(/^W\//, "") === tag);

export function showImage(request: Request, { name, mediaType, bytes, tag }: ShownImage): Response {
  const headers = {
    "Content-Disposition": disposition("inline", name),
    ...SANDBOXED,
    "Cache-Control": "private, no-cache",
    ETag: `"${tag}"`,
  };
  if (matchesTag(request.headers.get("if-none-match") ?? "", headers.ETag))
    return new Response(null, { status: 304, headers });
  return new Response(new Uint8Array(bytes), { headers: { ...headers, "Content-Type": mediaType } });
}

type Pieces<T> = Iterable<T> | AsyncIterator<T>;

function streamOf<T extends string | Uint8Array>(client: StreamClient, pieces: Pieces<T>) {
  const next = Symbol.iterator in pieces ? pieces[Symbol.iterator]() : pieces;
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await untilTaken(client);
        const piece = client.closed.aborted ? undefined : await next.next();
        if (!piece || piece.done) controller.close();
        else controller.enqueue(typeof piece.value === "string" ? encoder.encode(piece.value) : piece.value);
      },
      async cancel() {
        await next.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

interface Download {
  name: string;
  /** In bytes. */
  size: number;
  pieces: Iterable<Uint8Array>;
}

/** Serves untrusted bytes as an attachment, so that they never run under the console's origin. */
export function download(client: StreamClient, { name, size, pieces }: Download): Response {
  const headers = { "Content-Type": "application/octet-stream", "Content-Length": String(size) };
  return new Response(streamOf(client, pieces), { headers: { ...headers, ...attachment(name) } });
}

interface DownloadStream {
  name: string;
  type: string;
  pieces: AsyncIterator<string>;
}

export function downloadStream(client: StreamClient, { name, type, pieces }: DownloadStream): Response {
  return new Response(streamOf(client, pieces), { headers: { "Content-Type": type, ...attachment(name) } });
}
