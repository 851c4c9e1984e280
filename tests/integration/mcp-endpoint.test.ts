import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startServer, type TestServer } from "../support/server";

const SCOPES = ["screens.read", "chat.use", "documents.search", "workflows.write"];
/** Longer than what a client gets of a document at once. */
const LONG = Array.from({ length: 9000 }, (_, n) => `Line ${n} of it.`).join("\n");

let server: TestServer;
const clients: { close(): Promise<void> }[] = [];
const documents = new Map<string, string>();

async function post(path: string, as: "member" | "admin", json: object): Promise<string> {
  const made = await server.ask(path, { as, json });
  expect(made.status).toBe(201);
  return ((await made.json()) as { id: string }).id;
}

beforeAll(async () => {
  server = await startServer();
  for (const [title, more] of [
    ["Tides", { text: "High water is at noon." }],
    ["Long", { text: LONG }],
    ["Salaries", { text: "A secret.", visibility: "named", readers: [] }],
  ] as const)
    documents.set(title, await post("/api/rag/ingest", "admin", { title, ...more }));
  for (const id of documents.values()) {
    const read = async () => (await server.ask(`/api/rag/documents/${id}`, { as: "admin" })).json();
    await vi.waitFor(async () => expect(await read()).toMatchObject({ status: "ready" }), 60_000);
  }
  await post("/api/prompts", "admin", {
    name: "Übersicht: week",
    text: "Sum up {{topic}} in {{language=English}}.",
    shared: true,
  });
  await post("/api/prompts", "admin", { name: "Own", text: "Mine." });
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await server.close();
});

async function transportOptions(as: "member" | "viewer", scopes: string[]) {
  const token = await server.createToken(as, scopes);
  return { requestInit: { headers: { authorization: `Bearer ${token}` } } };
}

const endpoint = () => new URL("/mcp", server.baseUrl);

/** The official client, of the newest revision or of one with a handshake. */
async function connect(as: "member" | "viewer", scopes: string[], version?: string): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(endpoint(), await transportOptions(as, scopes));
  const options = version
    ? { supportedProtocolVersions: [version] }
    : { versionNegotiation: { mode: "auto" as const } };
  const client = new Client({ name: "test", version: "1" }, options);
  await client.connect(transport);
  clients.push(client);
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError = false } = await client.callTool({ name, arguments: args });
  const [first] = content;
  return { isError, text: first?.type === "text" ? first.text : "" };
}

const textOf = ({ contents }: Awaited<ReturnType<Client["readResource"]>>) => {
  const [first] = contents;
  return first && "text" in first ? first.text : "";
};

describe("the MCP endpoint", () => {
  it.each(["2025-06-18", "2025-11-25", undefined])("answers the official client (%s)", async (version) => {
    const client = await connect("member", SCOPES, version);
    expect(client.getNegotiatedProtocolVersion()).toBe(version ?? "2026-07-28");

    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "search_documents",
      "ask_persona",
      "run_workflow",
      "list_conversations",
      "read_conversation",
    ]);
    expect((await call(client, "search_documents", { query: "harbor" })).isError).toBe(false);
    await expect(client.callTool({ name: "nothing" })).rejects.toMatchObject({ code: -32_602 });

    const { prompts } = await client.listPrompts();
    const [prompt] = prompts.filter(({ title }) => title?.startsWith("Übersicht"));
    expect(prompt).toMatchObject({
      name: expect.stringMatching(/^ubersicht-week\.prm_\w+$/),
      arguments: [
        { name: "topic", required: true },
        { name: "language", description: "Default: English", required: false },
      ],
    });
    expect(prompts.map(({ title }) => title)).not.toContain("Own");
    const name = prompt?.name ?? "";
    expect((await client.getPrompt({ name, arguments: { topic: "tides" } })).messages).toEqual([
      { role: "user", content: { type: "text", text: "Sum up tides in English." } },
    ]);
    const wrong: Record<string, string>[] = [{}, { topic: "tides", tone: "dry" }];
    for (const args of wrong)
      await expect(client.getPrompt({ name, arguments: args })).rejects.toMatchObject({ code: -32_602 });

    const { resources } = await client.listResources();
    expect(resources.map((resource) => resource.name).sort()).toEqual(["Long", "Tides"]);
    const [tides, long] = ["Tides", "Long"].map((title) => `document:///${documents.get(title)}`);
    expect(textOf(await client.readResource({ uri: tides ?? "" }))).toContain("High water is at noon.");
    const uri = `document:///${documents.get("Salaries")}`;
    await expect(client.readResource({ uri })).rejects.toThrow(/not found/i);
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: "document:///{id}{?from}" },
    ]);

    const first = textOf(await client.readResource({ uri: long ?? "" }));
    const [note, next = ""] = /\n\n\[\d+ of \d+ characters\. Continue at (\S+)\]$/.exec(first) ?? [];
    const second = textOf(await client.readResource({ uri: next })).split("\n\n[")[0];
    expect(LONG).toContain(
      `${first.slice(-200 - (note ?? "").length, -(note ?? "").length)}${second?.slice(0, 200)}`,
    );

    await expect(client.listPrompts({ cursor: "nonsense" })).rejects.toMatchObject({ code: -32_602 });
  });

  it("answers the client of the first era", async () => {
    const client = new FirstClient({ name: "test", version: "1" });
    const transport = new FirstTransport(endpoint(), await transportOptions("member", SCOPES));
    await client.connect(transport as Parameters<FirstClient["connect"]>[0]);
    clients.push(client);
    await client.ping();
    expect((await client.listTools()).tools).toHaveLength(5);
    expect((await client.callTool({ name: "list_conversations", arguments: {} })).isError).toBeFalsy();
    const { prompts } = await client.listPrompts();
    const name = prompts.find(({ title }) => title?.startsWith("Übersicht"))?.name ?? "";
    const { messages } = await client.getPrompt({ name, arguments: { topic: "x", language: "Dutch" } });
    expect(messages).toMatchObject([{ content: { text: "Sum up x in Dutch." } }]);
    expect((await client.listResources()).resources).toHaveLength(2);
    const { contents } = await client.readResource({ uri: `document:///${documents.get("Tides")}` });
    expect(contents).toMatchObject([{ mimeType: "text/plain" }]);
  });

  it("does the work of its tools", async () => {
    const client = await connect("member", SCOPES);
    const asked = await call(client, "ask_persona", { message: "Hello" });
    const { conversationId, answer } = JSON.parse(asked.text) as Record<string, string>;
    expect(answer).toContain("built-in model");
    expect((await call(client, "list_conversations", {})).text).toContain(conversationId);
    expect((await call(client, "read_conversation", { id: conversationId })).text).toContain("Hello");
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

  it("pages its lists by a cursor", async () => {
    for (let n = 0; n < 105; n++) await post("/api/prompts", "member", { name: `Page ${n}`, text: "x" });
    const client = new FirstClient({ name: "test", version: "1" });
    const transport = new FirstTransport(endpoint(), await transportOptions("member", SCOPES));
    await client.connect(transport as Parameters<FirstClient["connect"]>[0]);
    clients.push(client);
    const first = await client.listPrompts();
    expect(first.prompts).toHaveLength(100);
    const second = await client.listPrompts({ cursor: first.nextCursor });
    expect(second.nextCursor).toBeUndefined();
    const names = [...first.prompts, ...second.prompts].map(({ title }) => title);
    expect(names.filter((name) => name?.startsWith("Page "))).toHaveLength(105);
    expect(new Set(names).size).toBe(names.length);

    for (let n = 0; n < 100; n++)
      await post("/api/rag/ingest", "admin", { title: `Page ${n}`, text: `The lamp ${n} is lit.` });
    const ready = async () => {
      const page = await client.listResources();
      const rest = await client.listResources({ cursor: page.nextCursor });
      expect([page.resources.length, rest.nextCursor]).toEqual([100, undefined]);
      const uris = [...page.resources, ...rest.resources].map(({ uri }) => uri);
      expect(new Set(uris).size).toBe(102);
    };
    await vi.waitFor(ready, 60_000);
  });

  it("refuses what it doesn't speak or offer", async () => {
    const token = await server.createToken("member", SCOPES);
    const send = async (json: unknown, headers: Record<string, string> = {}) => {
      const accept = "application/json, text/event-stream";
      const response = await server.ask("/mcp", { token, json, headers: { accept, ...headers } });
      return { status: response.status, text: await response.text() };
    };
    const message = (method: string, params?: object) => ({
      jsonrpc: "2.0",
      id: 1,
      method,
      ...(params && { params }),
    });
    for (const version of ["1999-01-01", "2025-03-26", "2099-01-01"])
      expect(await send(message("ping"), { "mcp-protocol-version": version })).toMatchObject({ status: 400 });
    const hello = {
      protocolVersion: "2025-03-26",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    expect((await send(message("initialize", hello))).text).toContain('"protocolVersion":"2025-11-25"');
    expect(await send([message("ping")])).toMatchObject({ status: 400 });
    for (const method of [
      "logging/setLevel",
      "completion/complete",
      "resources/subscribe",
      "sampling/createMessage",
    ])
      expect((await send(message(method, {}))).text).toContain("-32601");
    expect((await server.ask("/mcp", { token })).status).toBe(405);
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
