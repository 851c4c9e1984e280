import type { RequestHandler } from "express";
import { AppError } from "~/core/errors";

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Rejects a Host header or path that isn't a valid URL, since Remix builds a URL from them.
 * @throws AppError `invalid`
 */
export const checkAddress: RequestHandler = (request, _response, next) => {
  const { host = "localhost" } = request.headers;
  const forwarded = request.hostname ?? "localhost";
  const isHost = [host, forwarded].every((name) => HOST.test(name) && URL.canParse(`http://${name}`));
  if (!isHost) throw new AppError("invalid", "The Host header is invalid.");
  if (!request.originalUrl.startsWith("/") || !URL.canParse(`http://localhost${request.originalUrl}`))
    throw new AppError("invalid", "The address must be a path.");
  next();
};
