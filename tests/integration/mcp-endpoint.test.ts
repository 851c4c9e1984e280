import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
const clients: Client[] = [];
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await server.close();
});

/** The official client with a token of a role and its scopes. */
async function connect(as: "member" | "viewer", scopes: string[]): Promise<Client> {
  const made = await server.ask("/api/tokens", { as, json: { name: "MCP", scopes } });
  const { token, secret } = (await made.json()) as { token?: string; secret?: string };
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", server.baseUrl), {
    requestInit: { headers: { authorization: `Bearer ${secret ?? token}` } },
  });
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(transport);
  clients.push(client);
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError = false } = await client.callTool({ name, arguments: args });
  const [first] = content;
  return { isError, text: first?.type === "text" ? first.text : "" };
}

describe("the MCP endpoint", () => {
  it("lists its tools and does their work with a token", async () => {
    const client = await connect("member", [
      "screens.read",
      "chat.use",
      "documents.search",
      "workflows.write",
    ]);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "search_documents",
      "ask_persona",
      "run_workflow",
      "list_conversations",
      "read_conversation",
    ]);
    const asked = await call(client, "ask_persona", { message: "Hello" });
    const { conversationId, answer } = JSON.parse(asked.text) as Record<string, string>;
    expect(answer).toContain("built-in model");
    expect((await call(client, "list_conversations", {})).text).toContain(conversationId);
    expect((await call(client, "read_conversation", { id: conversationId })).text).toContain("Hello");
    expect((await call(client, "search_documents", { query: "harbor" })).isError).toBe(false);
    expect(await call(client, "run_workflow", { id: "wfl_none" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("Workflow not found"),
    });
    expect(await call(client, "ask_persona", {})).toMatchObject({
      isError: true,
      text: expect.stringContaining("The input is not valid"),
    });
  });

  it("keeps to the token's scopes and its owner's role", async () => {
    const reader = await connect("member", ["screens.read"]);
    expect(await call(reader, "ask_persona", { message: "Hello" })).toMatchObject({ isError: true });
    const viewer = await connect("viewer", ["screens.read"]);
    expect(await call(viewer, "list_conversations", {})).toMatchObject({ isError: true });
  });

  it("is closed without a token", async () => {
    const json = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const response = await server.ask("/mcp", { json, headers: { authorization: "Bearer qd_wrong" } });
    expect(response.status).toBe(401);
  });

  it("tells a client that begins without a token what it needs", async () => {
    const json = { jsonrpc: "2.0", id: 1, method: "initialize", params: {} };
    const senders: Record<string, string>[] = [{}, { origin: "http://localhost:6274" }];
    for (const headers of senders) {
      const response = await server.ask("/mcp", { json, headers });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe('Bearer realm="API"');
    }
  });
});
