import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { AppError } from "~/core/errors";

const MAX_DEPTH = 64;
/** Of one answer. What a model is given of it is less. */
export const MAX_VALUES = 40_000;
/** Items of a result's lists that are used at most. Each item that isn't valid costs the protocol's client 0.2 ms. */
const MAX_ITEMS = 1000;
const MAX_PARTS = 51;
const PARTS: ReadonlySet<string> = new Set(["content", "contents", "messages"]);

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const LINE_END: ReadonlySet<number> = new Set([0x0a, 0x0d]);

/** Counts the values of JSON that arrives in parts, alone or in the lines of an event stream. */
function jsonCounter(): (bytes: Uint8Array) => { values: number; depth: number } {
  let [isString, isEscaped] = [false, false];
  let [values, depth, deepest] = [0, 0, 0];
  return (bytes) => {
    for (const byte of bytes) {
      // No string of JSON holds a line's end, but a comment of the stream could hold a quotation mark.
      if (LINE_END.has(byte)) isString = isEscaped = false;
      else if (isEscaped) isEscaped = false;
      else if (isString) {
        if (byte === QUOTE) isString = false;
        else isEscaped = byte === BACKSLASH;
      } else if (byte === QUOTE) isString = true;
      else if (byte === COMMA) values++;
      else if (OPENING.has(byte)) {
        values++;
        deepest = Math.max(deepest, ++depth);
      } else if (CLOSING.has(byte)) depth--;
    }
    return { values, depth: deepest };
  };
}

/**
 * A server's answer that fails before the protocol's client parses more than it can in a moment.
 * @param title the server's, for the error
 */
export function boundAnswer(response: Response, title: string): Response {
  if (!response.body) return response;
  const count = jsonCounter();
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      const { values, depth } = count(bytes);
      if (values <= MAX_VALUES && depth <= MAX_DEPTH) return controller.enqueue(bytes);
      const reason =
        depth > MAX_DEPTH
          ? `nests deeper than ${MAX_DEPTH} levels`
          : `contains more than ${MAX_VALUES} values`;
      throw new AppError("provider_unavailable", `${title} sent an answer that ${reason}.`);
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
  transport.onmessage = shorten;
}
