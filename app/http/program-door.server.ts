import type { IncomingMessage, ServerResponse } from "node:http";
import { createReadableStreamFromReadable } from "@remix-run/node";
import type { Program } from "~/platform/endpoint/program.shared";
import { apiDoor, type Count } from "./api.server";
import { requestOf } from "./context";
import type { EdgePolicy } from "./edge-policy.server";
import { drain } from "./limit-slow-body.server";
import { sendResponse, setHeaders } from "./send-response.server";

const CONTENT_POLICY = "default-src 'none'; frame-ancestors 'none'";

function toRequest(message: IncomingMessage): Request {
  const { method = "GET", rawHeaders, url = "/" } = message;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  const hasBody = method !== "GET" && method !== "HEAD";
  const body = hasBody ? { body: createReadableStreamFromReadable(message), duplex: "half" as const } : {};
  return new Request(`http://localhost${url}`, { method, headers, ...body });
}

async function answer(request: IncomingMessage, response: ServerResponse, count: Count): Promise<void> {
  const { context } = requestOf(response);
  const { answer, refuse } = apiDoor();
  const toFree: (() => void)[] = [];
  const afterwards = (run: () => void) => void toFree.push(run);
  try {
    const answered = await answer(toRequest(request), { ...context, afterwards }, count);
    await sendResponse(response, answered);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else await sendResponse(response, refuse(undefined, error, context));
  } finally {
    for (const free of toFree) free();
  }
}

/**
 * The way in of programs, beside the one through Remix: raw bytes, any method.
 *
 * @param takes whose calls it answers
 * @returns a listener that says whether it answers a request
 */
export function programDoor(policy: EdgePolicy, takes: (program: Program) => boolean) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { described } = requestOf(response);
    const program = apiDoor().programOf(described.path);
    if (!program || !takes(program)) return false;
    const count: Count = (actor) => {
      const { headers, refusal } = policy.count(described, actor);
      setHeaders(response, headers);
      return refusal;
    };
    setHeaders(response, policy.contentPolicy(CONTENT_POLICY));
    // The unread body would block the connection's next request.
    response.once("finish", () => drain(request));
    void answer(request, response, count);
    return true;
  };
}
