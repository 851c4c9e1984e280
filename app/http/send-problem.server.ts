import type { Response } from "express";
import { AppError } from "~/core/errors";
import { requestOf } from "./context";
import { toProblem } from "./status.server";

export function sendProblem(response: Response, error: unknown): void {
  // A body over its limit was already answered; later errors of the handler are irrelevant.
  if (response.writableEnded) return;
  const problem = toProblem(error, requestOf(response).context.requestId);
  if (response.headersSent) return void response.destroy();
  if (error instanceof AppError && error.retryAfter !== undefined)
    response.set("Retry-After", String(Math.ceil(error.retryAfter)));
  response.status(problem.status).set("Cache-Control", "no-store").type("application/problem+json");
  response.send(JSON.stringify(problem));
}
