import type { IncomingMessage } from "node:http";
import { AppError } from "~/core/errors";
import { formatLimit } from "./body-limits";

/** Per JSON body (bytes). */
export const BODY_LIMIT = 16 * 1024 * 1024;
/** For all concurrent bodies (bytes). */
const BUFFER_LIMIT = 256 * 1024 * 1024;
const SILENCE_TIMEOUT = 30_000;
/** Discarded bytes of a refused body, so that the client can read the response. */
const MAX_DRAINED_BYTES = 4 * BODY_LIMIT;

let bufferedBytes = 0;

/** @throws AppError `unsupported_media` */
export function assertJson(request: IncomingMessage): void {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type !== "application/json" && !type.endsWith("+json")) {
    throw new AppError("unsupported_media", "Send the body as application/json.");
  }
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") {
    throw new AppError("unsupported_media", "Send the body without a content encoding.");
  }
}

/**
 * Reads a body within the limits per body and in total.
 * @param limit in bytes
 * @param release receives a function to release the memory
 * @throws AppError `too_large`, `unavailable`, `invalid`, `cancelled`
 */
export function readProgramBody(
  request: IncomingMessage,
  limit: number,
  release: (freeMemory: () => void) => void,
): Promise<Buffer> {
  const tooLarge = () => new AppError("too_large", `The body is larger than ${formatLimit(limit)}.`);
  if (Number(request.headers["content-length"] ?? 0) > limit) throw tooLarge();
  let size = 0;
  release(() => {
    bufferedBytes -= size;
    size = 0;
  });
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const settle = (error?: AppError) => {
      clearTimeout(timer);
      request.off("data", take).off("end", done).off("close", onDisconnect);
      if (error) reject(error);
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    };
    const take = (chunk: Buffer) => {
      timer.refresh();
      size += chunk.length;
      bufferedBytes += chunk.length;
      chunks.push(chunk);
      if (size > limit) settle(tooLarge());
      else if (bufferedBytes > BUFFER_LIMIT)
        settle(
          new AppError("unavailable", "Too many large requests at once. Try again in a moment.", {
            retryAfter: 1,
          }),
        );
    };
    const done = () => settle();
    const onDisconnect = () => settle(new AppError("cancelled", "The client closed the connection."));
    const timer = setTimeout(
      () => settle(new AppError("invalid", "The request body is incomplete. Send it again.")),
      SILENCE_TIMEOUT,
    );
    request.on("data", take).on("end", done).on("close", onDisconnect);
  });
}

/** Discards a refused body, because closing immediately would lose the response. @param max in bytes */
export function drain(request: IncomingMessage, max = MAX_DRAINED_BYTES): void {
  if (request.complete || request.destroyed) return;
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
