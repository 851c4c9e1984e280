import type { Request, RequestHandler, Response } from "express";
import { AppError } from "~/core/errors";
import type { EdgeContext } from "./context";
import { drain } from "./direct-body.server";
import { escapeHtml } from "./html.server";
import { bodyLimit, limitWords } from "./parse.server";
import { sendProblem } from "./send-problem.server";

/** What a browser without script shows for a form that is too large: nothing of it was read, so nothing can be shown again. */
function sendPage(request: Request, response: Response, words: string): void {
  const { cspNonce } = response.locals.context as EdgeContext;
  response.status(413).set("Cache-Control", "no-store").type("html");
  response.send(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Too large</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style nonce="${cspNonce}">
:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:10vh auto;padding:0 1rem}
</style></head><body><main><h1>That was too large to be sent</h1>
<p>A form takes at most ${words}. Nothing was saved.</p>
<p>Go back in your browser: what you typed is usually still there. A long text can be uploaded as a file.</p>
<p><a href="${escapeHtml(request.originalUrl)}">Open the page anew</a></p></main></body></html>`,
  );
}

const isScreensForm = ({ method, path, headers }: Request) =>
  method === "POST" && !path.startsWith("/api/") && (headers.accept ?? "").includes("text/html");

/**
 * Refuses a body that is larger than allowed, also one that doesn't say its length. What still comes of it is taken,
 * unread and within bounds: who closes the connection at once takes the answer away with it.
 */
export const limitBody: RequestHandler = (request, response, next) => {
  const limit = bodyLimit(request.method, request.path, request.headers["content-type"]);
  const words = limitWords(limit);
  let refused = false;
  const refuse = () => {
    refused = true;
    const error = new AppError("too_large", `The body is larger than ${words}.`);
    if (!response.headersSent) sendProblem(response, error);
    return error;
  };
  let answered = false;
  const runOff = () => {
    if (request.complete || request.destroyed) return;
    request.removeAllListeners("data");
    if (refused) drain(request);
    else request.resume();
  };
  // An answer that didn't wait for the body would leave the rest of it in the way of the connection's next request.
  response.once("finish", () => {
    answered = true;
    runOff();
  });
  if (Number(request.headers["content-length"] ?? 0) > limit) {
    if (!isScreensForm(request)) return void refuse();
    // A browser reads an answer only after it has sent everything.
    request.once("end", () => sendPage(request, response, words));
    return drain(request);
  }
  let received = 0;
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    received += chunk?.length ?? 0;
    if (received <= limit) return push(chunk, encoding);
    request.push = push;
    // The handler's read ends in this error; what it then tries to answer is dropped.
    request.once("error", () => undefined).emit("error", refuse());
    // An answer that came before it lets the body run off already, without bounds.
    if (answered) runOff();
    return true;
  };
  next();
};
