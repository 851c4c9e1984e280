import { createReadableStreamFromReadable } from "@remix-run/node";
import type { Request as ExpressRequest, Response as ExpressResponse, RequestHandler } from "express";
import type { Program } from "~/platform/endpoint/program.shared";
import { apiDoor, type Count } from "./api.server";
import type { EdgeContext } from "./context";
import { drain } from "./drain.server";
import type { EdgePolicy, EdgeRequest } from "./edge-policy.server";
import { sendResponse } from "./send-response.server";

const CONTENT_POLICY = "default-src 'none'; frame-ancestors 'none'";

function toRequest(message: ExpressRequest): Request {
  const { method, rawHeaders, originalUrl } = message;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  const hasBody = method !== "GET" && method !== "HEAD";
  const body = hasBody ? { body: createReadableStreamFromReadable(message), duplex: "half" as const } : {};
  return new Request(`http://localhost${originalUrl}`, { method, headers, ...body });
}

async function answer(request: ExpressRequest, response: ExpressResponse, count: Count): Promise<void> {
  const context = response.locals.context as EdgeContext;
  const toFree: (() => void)[] = [];
  const afterwards = (run: () => void) => void toFree.push(run);
  try {
    const asked = toRequest(request);
    await sendResponse(response, await apiDoor().answer(asked, { ...context, afterwards }, count));
  } finally {
    for (const free of toFree) free();
  }
}

/** The way in of programs, beside the one through Remix: raw bytes, any method. @param takes whose calls it answers */
export function programDoor(policy: EdgePolicy, takes: (program: Program) => boolean): RequestHandler {
  return (request, response, next) => {
    const { described } = response.locals as { described: EdgeRequest };
    const program = apiDoor().programOf(described.path);
    if (!program || !takes(program)) return next();
    const count: Count = (actor) => {
      const { headers, refusal } = policy.count(described, actor);
      response.set(headers);
      return refusal;
    };
    response.set(policy.contentPolicy(CONTENT_POLICY));
    // The unread body would block the connection's next request.
    response.once("finish", () => drain(request));
    answer(request, response, count).catch(next);
  };
}
