import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import type { Dispatcher } from "undici";
import { AppError } from "../errors";
import { EgressRefusal, explainFailure, timeoutError } from "./errors.server";
import { type ByteFlow, type ByteReceiver, ResponseBody } from "./response-body.server";

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
      limits.signal?.removeEventListener("abort", onAbort);
    };
    const fail = (reason: unknown) => {
      if (ended) return;
      finish();
      if (body) body.fail(reason);
      else reject(reason);
      controller?.abort(reason instanceof Error ? reason : new Error("aborted"));
    };
    function onAbort() {
      fail(limits.signal?.reason);
    }

    if (limits.signal?.aborted) {
      reject(limits.signal.reason);
      return;
    }
    limits.signal?.addEventListener("abort", onAbort, { once: true });
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

/** @throws EgressRefusal for another scheme than http and https, and for a user name or password in the address */
export function checkUrl(url: URL): void {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new EgressRefusal(url.host, `only http and https are allowed, not ${url.protocol.slice(0, -1)}`);
  }
  if (url.username || url.password) {
    throw new EgressRefusal(url.host, "the address must not contain a user name or password");
  }
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
  checkUrl(url);
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

const STATUSES = new Set([301, 302, 303, 307, 308]);

/** Credential headers; they never follow a redirect to another origin. */
const CREDENTIALS = [
  "authorization",
  "cookie",
  "proxy-authorization",
  "x-api-key",
  "x-goog-api-key",
  "api-key",
] as const;

const BODY_HEADERS = ["content-type", "content-encoding", "content-language", "content-location"] as const;

export function isRedirect(status: number, headers: Headers): boolean {
  return STATUSES.has(status) && headers.has("location");
}

function losesBody(status: number, method: string): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

/**
 * Builds the redirected request (Fetch, "HTTP-redirect fetch").
 * @throws AppError for an invalid address or a body that can't be sent again
 */
export function followRedirect(
  request: ExchangeRequest,
  status: number,
  location: string,
  secretHeaders: readonly string[],
): ExchangeRequest {
  const { host } = request.url;
  if (!URL.canParse(location, request.url)) {
    throw new AppError("provider_unavailable", `${host} redirects to an invalid address.`, {
      permanent: true,
    });
  }
  const url = new URL(location, request.url);
  const headers = new Headers(request.headers);
  const drop = losesBody(status, request.method);
  if (drop) for (const name of BODY_HEADERS) headers.delete(name);
  const { body } = request;
  if (!drop && body != null && typeof body !== "string" && !(body instanceof Uint8Array)) {
    throw new AppError(
      "provider_unavailable",
      `${host} redirects this request, but its body can't be sent again.`,
      { permanent: true },
    );
  }
  if (url.origin !== request.url.origin) {
    for (const name of [...CREDENTIALS, ...secretHeaders]) headers.delete(name);
  }
  return { url, method: drop ? "GET" : request.method, headers, body: drop ? null : body };
}
