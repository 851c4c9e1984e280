import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { onAbort } from "../abort";
import { explainFailure, timeoutError } from "./errors.server";
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
