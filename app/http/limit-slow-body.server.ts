import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "~/core/errors";
import { toProblem } from "./status.server";

/** Time for a small body, and the start of a large one, in ms. */
const GRACE_MS = 60_000;
/** Least average rate of the rest. */
const BYTES_PER_SECOND = 1000;

/** Time for a client to read the answer, in ms. */
const CLOSE_MS = 1000;

const hasBody = ({ headers }: IncomingMessage) =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/**
 * Ends a request whose body trickles in: each holds a connection and memory, and needs no account. A body has a minute,
 * and a second more for each kilobyte that has arrived.
 */
export function limitSlowBody(
  request: IncomingMessage,
  response: ServerResponse,
  { graceMs = GRACE_MS, bytesPerSecond = BYTES_PER_SECOND } = {},
): void {
  if (!hasBody(request)) return;
  const { socket } = request;
  const before = socket.bytesRead;
  const started = performance.now();
  let timer: NodeJS.Timeout;
  const remaining = () =>
    started + graceMs + ((socket.bytesRead - before) / bytesPerSecond) * 1000 - performance.now();
  const check = () => {
    if (request.complete || request.destroyed) return;
    const ms = remaining();
    if (ms > 0) {
      timer = setTimeout(check, ms).unref();
      return;
    }
    // The answer may already be on its way, while the rest of the body is discarded.
    if (response.headersSent) return void socket.destroy();
    const problem = toProblem(
      new AppError("invalid", "The request's body came too slowly. Send it again."),
      undefined,
    );
    const headers = { "content-type": "application/problem+json", connection: "close" };
    response.writeHead(problem.status, headers).end(JSON.stringify(problem), () => {
      // Closing a connection with unread bytes would lose the answer.
      request.resume();
      socket.end();
      setTimeout(() => socket.destroy(), CLOSE_MS).unref();
    });
  };
  timer = setTimeout(check, graceMs).unref();
  request.once("close", () => clearTimeout(timer));
}
