import type { Client, jsonSchemaValidator, Transport } from "@modelcontextprotocol/client";
import { now } from "~/core/clock.server";
import { log } from "~/core/log.server";
import type { McpTarget } from "../plugins.repo.server";
import { askPersonOf, runningCalls } from "./asking-calls.server";
import { boundMessages } from "./bounded-answer.server";
import { visibleText } from "./visible-text";

/** Of a list: servers with a thousand tools may send ten at a time. */
const MAX_PAGES = 100;

/** Output schemas are untrusted and unused. */
const acceptAll: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/**
 * Requests of the server, such as for sampling, are refused by name.
 * @param transport not yet connected
 * @param takesQuestions whether the server is told that a person can be asked (elicitation)
 */
export async function newClient(
  server: McpTarget,
  transport: Transport,
  takesQuestions: boolean,
): Promise<Client> {
  boundMessages(transport);
  // Loaded on demand, as it takes 14 MB and 150 ms.
  const { Client, ProtocolError, ProtocolErrorCode } = await import("@modelcontextprotocol/client");
  const client = new Client(
    { name: "ai-console", version: "1.0.0" },
    {
      capabilities: takesQuestions ? { elicitation: { form: {}, url: {} } } : {},
      inputRequired: { autoFulfill: false },
      versionNegotiation: { mode: "auto" },
      jsonSchemaValidator: acceptAll,
      listMaxPages: MAX_PAGES,
    },
  );
  client.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    const isQuestion = method === "elicitation/create";
    const answer = isQuestion && (await askPersonOf(client, params, mcpReq.signal));
    if (answer) return { ...answer };
    const isAmbiguous = isQuestion && runningCalls(client) > 1;
    const asked = `${describeRequest(method)}${isAmbiguous ? " while another person's call ran" : ""}`;
    refused.set(client, { count: (refused.get(client)?.count ?? 0) + 1, asked });
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `The client doesn't support ${asked}.`);
  };
  client.setNotificationHandler("notifications/tools/list_changed", () => onListChanged(server));
  return client;
}

/** What servers ask of clients, by method. */
const REQUESTS: Readonly<Record<string, string>> = {
  "sampling/createMessage": "a model's answer (sampling)",
  "elicitation/create": "a person's input (elicitation)",
  "roots/list": "folders (roots)",
};

export const describeRequest = (method: string): string =>
  Object.hasOwn(REQUESTS, method) ? String(REQUESTS[method]) : `"${visibleText(method, 60)}"`;

const refused = new WeakMap<Client, { count: number; asked: string }>();

/** @returns a function that names what the server has asked for since and wasn't given */
export function followRefusals(client: Client): () => string | undefined {
  const before = refused.get(client)?.count ?? 0;
  return () => {
    const { count = 0, asked } = refused.get(client) ?? {};
    return count > before ? asked : undefined;
  };
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
