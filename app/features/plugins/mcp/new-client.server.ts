import type { Client, jsonSchemaValidator } from "@modelcontextprotocol/client";
import { noteListChanged } from "./list-changes.server";
import type { McpTarget } from "./mcp-target";

const MOST_PAGES = 20;

/** A server's description of its outputs isn't compiled here: it is untrusted, and outputs are only passed on. */
const acceptAll: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** A client that offers no sampling, elicitation or roots: a server gets nothing of ours but the call. */
export async function newClient(server: McpTarget): Promise<Client> {
  // 14 MB and 150 ms that only an installation with MCP servers needs.
  const { Client } = await import("@modelcontextprotocol/client");
  const client = new Client(
    { name: "ai-console", version: "1.0.0" },
    {
      capabilities: {},
      inputRequired: { autoFulfill: false },
      versionNegotiation: { mode: "auto" },
      jsonSchemaValidator: acceptAll,
      listMaxPages: MOST_PAGES,
    },
  );
  client.setNotificationHandler("notifications/tools/list_changed", () => noteListChanged(server));
  return client;
}
