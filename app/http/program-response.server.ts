import type { ServerResponse } from "node:http";
import type { ProgramResponse } from "~/platform/endpoint/program.shared";

/** Time without progress before a client is disconnected, in ms. */
const STALL_TIMEOUT = 60_000;

function waitForDrain(response: ServerResponse, signal: AbortSignal, stalledMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      response.off("drain", settle);
      signal.removeEventListener("abort", settle);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(() => response.destroy(), stalledMs);
    response.once("drain", settle);
    signal.addEventListener("abort", settle, { once: true });
  });
}

interface ResponseOptions {
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
  onComplete(): void;
  stalledMs?: number;
}

export function programResponse(response: ServerResponse, options: ResponseOptions): ProgramResponse {
  const { headers, signal, onComplete, stalledMs = STALL_TIMEOUT } = options;
  const end = (last?: string | Uint8Array) => {
    // Node resets the socket's timer after the response.
    response.setTimeout(stalledMs, () => response.destroy());
    response.end(last);
    onComplete();
  };
  return {
    send(contentType, body, extraHeaders, status = 200) {
      const length = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
      response.writeHead(status, {
        ...headers,
        ...extraHeaders,
        "content-type": contentType,
        "content-length": String(length),
      });
      end(body);
    },
    begin(contentType, extraHeaders) {
      response.writeHead(200, {
        ...headers,
        "x-accel-buffering": "no",
        ...extraHeaders,
        "content-type": contentType,
      });
    },
    write(bytes) {
      if (signal.aborted) throw signal.reason;
      return response.write(bytes) ? undefined : waitForDrain(response, signal, stalledMs);
    },
    end: () => end(),
    abort: () => void response.destroy(),
    fail: (frame) => void (response.destroyed || end(frame)),
  };
}
