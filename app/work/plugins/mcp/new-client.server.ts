import { AsyncLocalStorage } from "node:async_hooks";
import type { Client, jsonSchemaValidator, Transport } from "@modelcontextprotocol/client";
import { now } from "~/core/clock.server";
import { log } from "~/core/log.server";
import type { McpTarget } from "../plugins.repo.server";
import { boundMessages } from "./bounded-answer.server";
import type { ElicitResult } from "./elicitation";
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
  // Lazy: 14 MB and 150 ms.
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
    const call = method === "elicitation/create" ? askingCall(client) : undefined;
    if (call) return { ...(await call(params, mcpReq.signal)) };
    const isAmbiguous = method === "elicitation/create" && (running.get(client)?.size ?? 0) > 1;
    const asked = `${describeRequest(method)}${isAmbiguous ? " while another of its calls ran" : ""}`;
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

/** Asks the person of a call. @throws AppError for what can't be asked */
export type AskFor = (params: unknown, withdrawn?: AbortSignal) => Promise<ElicitResult>;

/** The call in whose response the server's messages come. */
const current = new AsyncLocalStorage<{ ask: AskFor | undefined; isOver: boolean }>();
/** Running calls by connection. */
const running = new WeakMap<Client, Set<{ ask: AskFor | undefined; isOver: boolean }>>();

/**
 * A question of the protocol doesn't say which call asks. Over HTTP it comes in the call's own response, which is read
 * where the call was sent; over the pipe of a command it can only be the call that runs alone.
 */
function askingCall(client: Client): AskFor | undefined {
  const sent = current.getStore();
  if (sent) return sent.isOver ? undefined : sent.ask;
  const [only, ...others] = running.get(client) ?? [];
  return others.length === 0 ? only?.ask : undefined;
}

/** Does a call whose questions go to `ask`; without it they are refused by name. */
export async function callAsking<T>(
  client: Client,
  ask: AskFor | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const call = { ask, isOver: false };
  const calls = running.get(client) ?? new Set();
  running.set(client, calls.add(call));
  try {
    return await current.run(call, work);
  } finally {
    call.isOver = true;
    calls.delete(call);
  }
}

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
