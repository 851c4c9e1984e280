import type { ServerResponse } from "node:http";
import type { DirectAnswer } from "./direct.server";

/** A client that takes nothing for so long is cut off, in milliseconds. */
const STALLED = 60_000;

/** Waits until the client has taken what was written; a client that never does loses its connection. */
function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      response.off("drain", settle);
      signal.removeEventListener("abort", settle);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(() => response.destroy(), STALLED);
    response.once("drain", settle);
    signal.addEventListener("abort", settle, { once: true });
  });
}

/** Writes to Node's own response. `headers` stand on every answer. */
export function directAnswer(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): DirectAnswer {
  return {
    send(contentType, body, more) {
      const length = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
      response.writeHead(200, {
        ...headers,
        ...more,
        "content-type": contentType,
        "content-length": String(length),
      });
      response.end(body);
    },
    begin(contentType, more) {
      response.writeHead(200, {
        ...headers,
        "x-accel-buffering": "no",
        ...more,
        "content-type": contentType,
      });
    },
    write(bytes) {
      if (signal.aborted) throw signal.reason;
      return response.write(bytes) ? undefined : drained(response, signal);
    },
    end: () => void response.end(),
    fail: (frame) => void (response.destroyed || response.end(frame)),
  };
}
