import type { Client, jsonSchemaValidator, Transport } from "@modelcontextprotocol/client";
import { now } from "~/core/clock.server";
import { log } from "~/core/log.server";
import type { McpTarget } from "../plugins.repo.server";
import { boundMessages } from "./bounded-answer.server";

/** Of a list: servers with a thousand tools may send ten at a time. */
const MAX_PAGES = 100;

/** Output schemas are untrusted and unused. */
const acceptAll: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** Without sampling, elicitation or roots. @param transport not yet connected */
export async function newClient(server: McpTarget, transport: Transport): Promise<Client> {
  boundMessages(transport);
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
