import type { IncomingMessage } from "node:http";
import { AppError } from "~/core/errors";
import { formatLimit } from "./body-limits";

/** Of one JSON body, in bytes. */
export const BODY_LIMIT = 16 * 1024 * 1024;
/** Of all bodies that are held at the same time. */
const HELD_LIMIT = 256 * 1024 * 1024;
/** How long a client may send nothing in the middle of its body, in milliseconds. */
const SILENCE = 30_000;
/** What is still taken, unread, of a body that was refused, so that the client gets to read why. */
const DRAINED = 4 * BODY_LIMIT;

let held = 0;

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
 * Reads a request's body within the limits of one and of all together.
 * @param limit in bytes
 * @param release receives the function that releases the memory, once
 * @throws AppError `too_large`, `unavailable`, `invalid`, `cancelled`
 */
export function readDirectBody(
  request: IncomingMessage,
  limit: number,
  release: (giveBack: () => void) => void,
): Promise<Buffer> {
  const tooLarge = () => new AppError("too_large", `The body is larger than ${formatLimit(limit)}.`);
  if (Number(request.headers["content-length"] ?? 0) > limit) throw tooLarge();
  let size = 0;
  release(() => {
    held -= size;
    size = 0;
  });
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const settle = (error?: AppError) => {
      clearTimeout(timer);
      request.off("data", take).off("end", done).off("close", left);
      if (error) reject(error);
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    };
    const take = (chunk: Buffer) => {
      timer.refresh();
      size += chunk.length;
      held += chunk.length;
      chunks.push(chunk);
      if (size > limit) settle(tooLarge());
      else if (held > HELD_LIMIT)
        settle(
          new AppError("unavailable", "Too many large requests at once. Try again in a moment.", {
            retryAfter: 1,
          }),
        );
    };
    const done = () => settle();
    const left = () => settle(new AppError("cancelled", "The client closed the connection."));
    const timer = setTimeout(
      () => settle(new AppError("invalid", "The request body is incomplete. Send it again.")),
      SILENCE,
    );
    request.on("data", take).on("end", done).on("close", left);
  });
}

/**
 * Lets a refused body run off, within bounds: closing at once would take the answer away with the connection.
 *
 * @param most bytes that are taken
 */
export function drain(request: IncomingMessage, most = DRAINED): void {
  if (request.complete || request.destroyed) return;
  let rest = most;
  const timer = setTimeout(() => request.destroy(), SILENCE);
  request.on("data", (chunk: Buffer) => {
    timer.refresh();
    rest -= chunk.length;
    if (rest < 0) request.destroy();
  });
  request.once("close", () => clearTimeout(timer));
  request.resume();
}
