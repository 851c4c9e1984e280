import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestHandler } from "express";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { SilenceClock } from "~/core/silence-clock";
import { BODY_CEILING, formatLimit } from "./body-limits";
import { sendProblem } from "./send-response.server";
import { toProblem } from "./status.server";

/** Time without data, in ms. */
const SILENCE_TIMEOUT = 30_000;
/** In bytes. */
const MAX_DRAINED = 64 * 1024 * 1024;

/** Discards a refused body, because closing immediately would lose the response. @param max in bytes */
export function drain(request: IncomingMessage, max = MAX_DRAINED): void {
  if (request.complete || request.destroyed) return;
  // Whoever read it may have stopped, and would hold it back.
  request.removeAllListeners("data");
  let rest = max;
  const timer = setTimeout(() => request.destroy(), SILENCE_TIMEOUT);
  request.on("data", (chunk: Buffer) => {
    timer.refresh();
    rest -= chunk.length;
    if (rest < 0) request.destroy();
  });
  request.once("close", () => clearTimeout(timer));
  request.resume();
}

/** Time for a small body, and for each megabyte of a large one, in ms. */
const MEGABYTE_MS = 60_000;
const MEGABYTE = 1_000_000;

/** Bodies that are still arriving count after this time (ms). A usual one arrives with its head. */
const COUNTED_AFTER_MS = 1000;
/** Such bodies at a time from an address without a session or token. */
const MAX_FROM_STRANGER = 32;

/** Time for a client to read the answer, in ms. */
const CLOSE_MS = 1000;

interface SlowBodyLimits {
  megabyteMs?: number;
  countedAfterMs?: number;
  maxFromStranger?: number;
  /** The caller's address, or undefined with a valid session or token. */
  strangerOf: (request: IncomingMessage) => string | undefined;
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/** Refuses a request whose body may still be arriving. */
function refuse(request: IncomingMessage, response: ServerResponse, error: AppError): void {
  // The answer may already be on its way, while the rest of the body is discarded.
  if (response.headersSent) return void request.socket.destroy();
  const problem = toProblem(error);
  const retryAfter = error.retryAfter === undefined ? {} : { "retry-after": String(error.retryAfter) };
  const headers = { "content-type": "application/problem+json", connection: "close", ...retryAfter };
  response.writeHead(problem.status, headers).end(JSON.stringify(problem), () => {
    // Closing a connection with unread bytes would lose the answer.
    request.resume();
    request.socket.end();
    setTimeout(() => request.socket.destroy(), CLOSE_MS).unref();
  });
}

/**
 * Ends requests whose body trickles in: each holds a connection and memory, and needs no account. A body has a minute
 * for each megabyte, and an address without a session or token sends few of them at a time.
 */
export function createSlowBodyLimit({
  megabyteMs = MEGABYTE_MS,
  countedAfterMs = COUNTED_AFTER_MS,
  maxFromStranger = MAX_FROM_STRANGER,
  strangerOf,
}: SlowBodyLimits): (request: IncomingMessage, response: ServerResponse) => void {
  const arriving = new Map<string, number>();

  function count(request: IncomingMessage, response: ServerResponse): void {
    if (request.complete || request.destroyed) return;
    const address = strangerOf(request);
    if (address === undefined) return;
    const others = arriving.get(address) ?? 0;
    if (others >= maxFromStranger) {
      const message = `${maxFromStranger} bodies are still arriving from ${address}. Send this one once they are complete.`;
      refuse(request, response, new AppError("rate_limited", message, { retryAfter: 60 }));
      return;
    }
    arriving.set(address, others + 1);
    request.once("close", () => {
      const left = (arriving.get(address) ?? 1) - 1;
      if (left > 0) arriving.set(address, left);
      else arriving.delete(address);
    });
  }

  return (request, response) => {
    if (!hasBody(request)) return;
    const { socket } = request;
    let before = socket.bytesRead;
    const clock = new SilenceClock(megabyteMs, () => {
      if (request.complete || request.destroyed) return;
      if (socket.bytesRead - before < MEGABYTE) {
        const message = "The request's body came too slowly. Send it again.";
        refuse(request, response, new AppError("timeout", message));
        return;
      }
      before = socket.bytesRead;
      clock.restart();
      clock.wait();
    });
    clock.wait();
    const countOnce = () => {
      try {
        count(request, response);
      } catch (error) {
        // The database can be closed for a restore meanwhile.
        log.warn("a slow body wasn't counted", { error });
      }
    };
    // In two steps: what arrived while the event loop was busy is read after the first.
    let counting = setTimeout(() => {
      counting = setTimeout(countOnce, countedAfterMs / 2).unref();
    }, countedAfterMs / 2).unref();
    request.once("close", () => {
      clock.stop();
      clearTimeout(counting);
    });
  };
}

const isMultipart = (contentType: string | undefined) => /^multipart\/form-data\b/i.test(contentType ?? "");

/**
 * Limits bodies; endpoints declare lower limits. Unread bytes are discarded within bounds, since closing
 * the connection would lose the response.
 */
export const limitBody: RequestHandler = (request, response, next) => {
  let refused = false;
  const refuse = () => {
    refused = true;
    const error = new AppError("too_large", `The body is larger than ${formatLimit(BODY_CEILING)}.`);
    if (!response.headersSent) sendProblem(response, error);
    return error;
  };
  const length = Number(request.headers["content-length"] ?? 0);
  const drainRest = () => {
    if (request.complete || request.destroyed) return;
    // A refused upload is discarded to its end, other bodies up to a limit.
    const isUpload = !refused && length > 0 && isMultipart(request.headers["content-type"]);
    drain(request, isUpload ? length : undefined);
  };
  let answered = false;
  response.once("finish", () => {
    answered = true;
    drainRest();
  });
  if (length > BODY_CEILING) return void refuse();
  let received = 0;
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    received += chunk?.length ?? 0;
    if (received <= BODY_CEILING) return push(chunk, encoding);
    request.push = push;
    // The handler's read fails with this error, and its response is dropped.
    request.once("error", () => undefined).emit("error", refuse());
    if (answered) drainRest();
    return true;
  };
  next();
};
