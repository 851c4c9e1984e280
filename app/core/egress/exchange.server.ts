import type { IncomingHttpHeaders } from "node:http";
import { Readable, type Transform } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Dispatcher } from "undici";
import { onAbort } from "../abort";
import { AppError } from "../errors";
import { explainFailure, timeoutError, tooLargeError } from "./errors.server";

export interface ExchangeRequest {
  url: URL;
  method: string;
  headers: Headers | Record<string, string>;
  body: Dispatcher.DispatchOptions["body"];
}

export interface Limits {
  /** Total time limit (ms); 0 for none. */
  timeoutMs: number;
  /** Maximum silence before and within the response. */
  silenceMs: number;
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

export interface EgressResponse {
  status: number;
  statusText: string;
  headers: Headers;
  stream(): ReadableStream<Uint8Array> | null;
  receive(receiver: ByteReceiver): ByteFlow;
  discard(): void;
}

/** Statuses whose response has no body, regardless of its headers (Fetch, "null body status"). */
const BODILESS = new Set([204, 205, 304]);

function toByteString(value: string): string {
  return Buffer.from(value, "utf8").toString("latin1");
}

function toHeaders(raw: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw)) {
    for (const item of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, toByteString(item));
  }
  return headers;
}

/** Sends one request without redirects and resolves with the headers. The body streams with backpressure. */
export function exchange(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  limits: Limits,
): Promise<EgressResponse> {
  const { url } = request;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let body: ResponseBody | undefined;
    let ended = false;
    let timer: NodeJS.Timeout | undefined;

    const finish = () => {
      ended = true;
      clearTimeout(timer);
      release();
    };
    const fail = (reason: unknown) => {
      if (ended) return;
      finish();
      if (body) body.fail(reason);
      else reject(reason);
      controller?.abort(reason instanceof Error ? reason : new Error("aborted"));
    };
    let release = () => {};
    release = onAbort(limits.signal, fail);
    if (ended) return;
    if (limits.timeoutMs > 0) {
      timer = setTimeout(() => fail(timeoutError(url.host, limits.timeoutMs)), limits.timeoutMs);
      timer.unref();
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(requestController) {
        controller = requestController;
        if (ended) requestController.abort(new Error("aborted"));
      },
      onResponseStart(requestController, status, rawHeaders, statusText) {
        if (ended || status < 200) return;
        try {
          const headers = toHeaders(rawHeaders);
          const empty = request.method === "HEAD" || BODILESS.has(status);
          const responseBody = new ResponseBody({
            host: url.host,
            encoding: empty ? "" : (headers.get("content-encoding") ?? ""),
            length: empty ? 0 : Number(headers.get("content-length") ?? 0),
            maxBytes: limits.maxBytes,
            controller: requestController,
            onFail: fail,
            onDone: finish,
          });
          body = responseBody;
          resolve({
            status,
            statusText: toByteString(statusText ?? ""),
            headers,
            stream: () => (empty ? null : responseBody.stream()),
            receive: (receiver) => responseBody.receive(receiver),
            discard: () => fail(new Error("discarded")),
          });
        } catch (error) {
          fail(error);
        }
      },
      onResponseData(_, chunk) {
        body?.push(chunk);
      },
      onResponseEnd() {
        body?.end();
      },
      onResponseError(_, error) {
        fail(explainFailure(error, url.host, body !== undefined, limits.silenceMs));
      },
    };
    try {
      dispatcher.dispatch(
        {
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method: request.method,
          headers: request.headers,
          body: request.body,
          headersTimeout: limits.silenceMs,
          bodyTimeout: limits.silenceMs,
        },
        handler,
      );
    } catch (error) {
      fail(error);
    }
  });
}

/** Default user agent. It names no product because of custom branding. */
export const USER_AGENT = "AIConsole/1.0";

export const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

type FetchInput = Parameters<typeof fetch>[0];
type FetchInit = Parameters<typeof fetch>[1];

function parseUrl(input: FetchInput): URL {
  const text = input instanceof URL ? input.href : typeof input === "string" ? input : input.url;
  if (!URL.canParse(text))
    throw new AppError("invalid", "Enter a complete address, such as https://example.com.");
  return new URL(text);
}

/** Converts a body for undici. Only streams can't be sent again. */
async function readBody(
  body: BodyInit | null | undefined,
): Promise<{ body: ExchangeRequest["body"]; type?: string | null }> {
  if (body == null) return { body: null };
  if (typeof body === "string") return { body, type: "text/plain;charset=UTF-8" };
  if (body instanceof ReadableStream) return { body: Readable.fromWeb(body as NodeReadableStream) };
  const wrapped = new Response(body);
  return { body: new Uint8Array(await wrapped.arrayBuffer()), type: wrapped.headers.get("content-type") };
}

/** Normalizes fetch's arguments; the only place that parses the URL. */
export async function readRequest(input: FetchInput, init: FetchInit = {}): Promise<ExchangeRequest> {
  const url = parseUrl(input);
  const from = input instanceof Request ? input : undefined;
  const method = (init.method ?? from?.method ?? "GET").toUpperCase();
  const headers = new Headers(init.headers ?? from?.headers);
  const { body, type } = await readBody(init.body ?? (from?.body ? await from.arrayBuffer() : null));
  for (const name of CONNECTION_HEADERS) headers.delete(name);
  if (type && !headers.has("content-type")) headers.set("content-type", type);
  if (!headers.has("accept")) headers.set("accept", "*/*");
  if (!headers.has("user-agent")) headers.set("user-agent", USER_AGENT);
  // Streamed responses stay uncompressed: a decoder would hold memory for their whole duration.
  if (!headers.has("accept-encoding")) {
    headers.set("accept-encoding", method === "GET" ? "gzip, deflate, br" : "identity");
  }
  return { url, method, headers, body };
}

interface BodySettings {
  host: string;
  encoding: string;
  length: number;
  maxBytes: number;
  controller: Pick<Dispatcher.DispatchController, "pause" | "resume">;
  onFail: (error: unknown) => void;
  onDone: () => void;
}

/** Buffered bytes before the socket is paused. */
const READ_AHEAD = 64 * 1024;

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

function makeDecoder(encoding: string, host: string): Transform | undefined {
  const name = encoding.trim().toLowerCase();
  if (name === "" || name === "identity") return undefined;
  const make = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  // Stacked content codings are a decompression-bomb pattern.
  if (!make) {
    throw new AppError("provider_unavailable", `${host} uses an unsupported content encoding.`, {
      permanent: true,
    });
  }
  return make();
}

export interface ByteReceiver {
  data(chunk: Buffer): void;
  end(): void;
  fail(error: unknown): void;
}

export interface ByteFlow {
  pause(): void;
  resume(): void;
  cancel(): void;
}

/**
 * A response body, decoded and size-limited, with backpressure.
 * @throws AppError for an excessive Content-Length or an unknown encoding
 */
class ResponseBody {
  readonly #settings: BodySettings;
  readonly #decoder: Transform | undefined;
  #receiver: ByteReceiver | undefined;
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #received = 0;
  #closed = false;
  #failure: { reason: unknown } | undefined;

  constructor(settings: BodySettings) {
    this.#settings = settings;
    if (settings.length > settings.maxBytes) throw tooLargeError(settings.host, settings.maxBytes);
    this.#decoder = makeDecoder(settings.encoding, settings.host);
    this.#decoder
      ?.on("data", (chunk: Buffer) => this.#deliver(chunk))
      .on("drain", () => settings.controller.resume())
      .on("end", () => this.#close())
      .on("error", (cause) => {
        const message = `${settings.host} sent data that can't be decompressed.`;
        settings.onFail(new AppError("provider_unavailable", message, { cause }));
      });
  }

  /** Delivers buffered and future bytes to a receiver. Call once. */
  receive(receiver: ByteReceiver): ByteFlow {
    this.#receiver = receiver;
    const early = this.#early;
    this.#early = [];
    for (const chunk of early) receiver.data(chunk);
    if (this.#failure) receiver.fail(this.#failure.reason);
    else if (this.#closed) receiver.end();
    else if (early.length > 0) this.#resume();
    return {
      pause: () => this.#pause(),
      resume: () => this.#resume(),
      cancel: () => this.#cancel(),
    };
  }

  stream(): ReadableStream<Uint8Array> {
    let flow: ByteFlow | undefined;
    return new ReadableStream<Uint8Array>(
      {
        start: (sink) => {
          flow = this.receive({
            data: (chunk) => {
              sink.enqueue(chunk);
              if ((sink.desiredSize ?? 0) <= 0) this.#pause();
            },
            end: () => sink.close(),
            fail: (reason) => sink.error(reason),
          });
        },
        pull: () => flow?.resume(),
        cancel: () => flow?.cancel(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD }),
    );
  }

  push(chunk: Buffer): void {
    if (this.#closed) return;
    if (!this.#decoder) this.#deliver(chunk);
    else if (!this.#decoder.write(chunk)) this.#settings.controller.pause();
  }

  end(): void {
    if (this.#decoder) this.#decoder.end();
    else this.#close();
  }

  fail(reason: unknown): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#decoder?.destroy();
    if (this.#receiver) this.#receiver.fail(reason);
    else this.#failure = { reason };
  }

  #cancel(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#decoder?.destroy();
    this.#settings.onFail(new Error("cancelled"));
  }

  #deliver(chunk: Buffer): void {
    if (this.#closed) return;
    this.#received += chunk.byteLength;
    const { host, maxBytes, onFail } = this.#settings;
    if (this.#received > maxBytes) {
      onFail(tooLargeError(host, maxBytes));
      return;
    }
    if (this.#receiver) {
      this.#receiver.data(chunk);
      return;
    }
    this.#early.push(chunk);
    this.#earlyBytes += chunk.byteLength;
    if (this.#earlyBytes > READ_AHEAD) this.#pause();
  }

  #pause(): void {
    if (this.#decoder) this.#decoder.pause();
    else this.#settings.controller.pause();
  }

  #resume(): void {
    if (this.#decoder) this.#decoder.resume();
    else this.#settings.controller.resume();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#receiver?.end();
    this.#settings.onDone();
  }
}
