import type { Client, JSONRPCMessage, jsonSchemaValidator, Transport } from "@modelcontextprotocol/client";
import { now } from "~/core/clock.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { jsonBounds } from "~/core/parse";
import type { McpTarget } from "../plugins.repo.server";

const MAX_PAGES = 20;

/** Output schemas are untrusted and unused. */
const acceptAll: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** Without sampling, elicitation or roots. @param transport not yet connected */
export async function newClient(server: McpTarget, transport: Transport): Promise<Client> {
  // The client hands each message on to it first.
  transport.onmessage = shorten;
  // Lazy: 14 MB and 150 ms.
  const { Client } = await import("@modelcontextprotocol/client");
  const client = new Client(
    { name: "ai-console", version: "1.0.0" },
    {
      capabilities: {},
      inputRequired: { autoFulfill: false },
      versionNegotiation: { mode: "auto" },
      jsonSchemaValidator: acceptAll,
      listMaxPages: MAX_PAGES,
    },
  );
  client.setNotificationHandler("notifications/tools/list_changed", () => onListChanged(server));
  return client;
}

/** Minimum interval between notified checks, in ms. */
const MIN_INTERVAL = 60_000;

type Check = (server: Pick<McpTarget, "id" | "orgId">) => Promise<void>;

let check: Check | undefined;
const checkedAt = new Map<string, number>();

/** @returns a stop function */
export function followListChanges(onChange: Check): () => void {
  check = onChange;
  return () => {
    check = undefined;
    checkedAt.clear();
  };
}

/** On a change notification; scheduled checks cover those that come too soon. */
function onListChanged({ id, orgId }: Pick<McpTarget, "id" | "orgId">): void {
  const last = checkedAt.get(id) ?? Number.NEGATIVE_INFINITY;
  if (!check || now() - last < MIN_INTERVAL) return;
  checkedAt.set(id, now());
  check({ id, orgId }).catch((error: unknown) =>
    log.warn("the changed tools of an MCP server weren't read", { purpose: `plugin:${id}`, error }),
  );
}

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
