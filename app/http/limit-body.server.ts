import type { RequestHandler } from "express";
import { AppError } from "~/core/errors";
import { BODY_CEILING, formatLimit } from "./body-limits";
import { drain } from "./drain.server";
import { sendProblem } from "./send-problem.server";

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
