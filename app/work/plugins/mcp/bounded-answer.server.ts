import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { AppError } from "~/core/errors";
import { jsonBounds } from "~/core/parse";

/** Of one answer. What a model is given of it is less. */
export const MAX_VALUES = 40_000;
/** Items of a result's lists that are used at most. Each item that isn't valid costs the protocol's client 0.2 ms. */
const MAX_ITEMS = 1000;
const MAX_PARTS = 51;
const PARTS: ReadonlySet<string> = new Set(["content", "contents", "messages"]);

/**
 * A server's answer that fails before the protocol's client parses more than it can in a moment.
 * @param title the server's, for the error
 */
export function boundAnswer(response: Response, title: string): Response {
  if (!response.body) return response;
  const check = jsonBounds(MAX_VALUES);
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      for (const byte of bytes) {
        const excess = check(byte);
        if (excess) throw new AppError("provider_unavailable", `${title} sent an answer that ${excess}.`);
      }
      controller.enqueue(bytes);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(bounded), { status, statusText, headers });
}

/** Leaves out the items of a result that wouldn't be used, before the protocol's client checks each. */
function shorten(message: JSONRPCMessage): void {
  if (!("result" in message)) return;
  const { result } = message;
  for (const [name, list] of Object.entries(result))
    if (Array.isArray(list)) result[name] = list.slice(0, PARTS.has(name) ? MAX_PARTS : MAX_ITEMS);
}

/** Call it before the client connects, which hands each message on first. */
export function boundMessages(transport: Transport): void {
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    shorten(message);
    receive?.(message, extra);
  };
}
