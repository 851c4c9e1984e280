import type { Client, jsonSchemaValidator } from "@modelcontextprotocol/client";
import { onListChanged } from "./list-changes.server";
import type { McpTarget } from "./mcp-target";

const MAX_PAGES = 20;

/** Output schemas are untrusted and unused. */
const acceptAll: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** Without sampling, elicitation or roots. */
export async function newClient(server: McpTarget): Promise<Client> {
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
