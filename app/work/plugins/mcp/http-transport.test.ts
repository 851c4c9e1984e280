import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callTool } from "~/ai/tools/call-tool.service.server";
import { setEnv } from "~/core/env.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { openScripted, type Script } from "../../../../tests/support/mcp-server";
import { startMockServer } from "../../../../tests/support/mock-server";
import { startPlugins } from "../plugin-tools.service.server";
import { addMcpServer, decideTools } from "./mcp-servers.service.server";

const never = new AbortController().signal;
let test: ReturnType<typeof openTestDatabase>;
let closers: (() => unknown)[];
beforeEach(() => {
  test = openTestDatabase();
  closers = [startPlugins()];
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  test.close();
});

const add = (url: string) =>
  addMcpServer(test.actors.admin, { title: "Lab", url, command: "", keyId: "", header: "" }, never);

async function script(answers: Script) {
  const server = await openScripted(answers);
  closers.push(() => server.close());
  setEnv({
    NODE_ENV: "test",
    LOG_LEVEL: "silent",
    DATA_DIR: test.folder,
    EGRESS_ALLOW: new URL(server.url).host,
  });
  return server;
}

/** A server of one tool, `find`, that members may call. */
async function allowed(more: Omit<Script, "tools"> = {}) {
  const answers: Script = { tools: [{ name: "find" }], ...more };
  const server = await script(answers);
  const added = await add(server.url);
  decideTools(test.actors.admin, added.id, { allowed: [`find#${added.tools[0]?.hash}`] });
  return { ...server, answers, added };
}
const call = (signal = never, input = {}) =>
  callTool(test.actors.member, "mcp-lab.find", input, {
    source: { kind: "chat" },
    signal,
    approval: "given",
  });

const stream = (body: string) => () => ({
  status: 200,
  headers: { "content-type": "text/event-stream" },
  body,
});
const atCalls = (answer: NonNullable<Script["raw"]>) => (method: string) =>
  method === "tools/call" ? answer(method) : undefined;
/** The first event of a response that can be resumed, as SEP-1699 has it. */
const PRIMING = "id: event-1\nretry: 1\ndata: \n\n";
const FOUND = { result: { content: [{ type: "text", text: "found" }] } };

describe("a response that the server broke off", () => {
  it("is resumed after its last event", async () => {
    const asked: string[] = [];
    const server = await allowed({
      raw: atCalls(stream(PRIMING)),
      resume: (lastEventId) => {
        asked.push(lastEventId);
        return [FOUND];
      },
    });
    expect(await call()).toEqual({ ok: true, output: { text: "found" } });
    expect(asked).toEqual(["event-1"]);
    expect(server.requests.filter(({ method }) => method === "GET")).toHaveLength(1);
  });

  it("is closed if its server leaves it open after it", async () => {
    let onClose = () => {};
    const closed = new Promise<void>((resolve) => {
      onClose = resolve;
    });
    await allowed({ raw: atCalls(stream(PRIMING)), resume: () => [FOUND], onClose });
    expect(await call()).toEqual({ ok: true, output: { text: "found" } });
    await closed;
  });

  it.each([
    ["can't be resumed", ": working\n\n"],
    ["isn't kept by the server", PRIMING],
  ])("fails at once if it %s", async (_, body) => {
    await allowed({ raw: atCalls(stream(body)) });
    expect(await call()).toMatchObject({
      ok: false,
      code: "provider_unavailable",
      error: "Lab closed the connection before it answered.",
    });
  });

  it("isn't resumed once its call was stopped", async () => {
    const controller = new AbortController();
    const server = await allowed({
      raw: atCalls(stream(PRIMING)),
      resume: () => {
        controller.abort(new Error("stopped"));
        return [];
      },
    });
    expect(await call(controller.signal)).toMatchObject({ ok: false });
    expect(server.requests.filter(({ method }) => method === "GET")).toHaveLength(1);
  });
});

it("fails calls of a server that has ended, and answers them once it is back", async () => {
  const { answers } = await allowed({ call: () => FOUND.result });
  answers.raw = atCalls(() => "die");
  expect(await call()).toMatchObject({ ok: false, code: "provider_unavailable" });
  delete answers.raw;
  expect(await call()).toEqual({ ok: true, output: { text: "found" } });
});

describe("the protocol's version", () => {
  const found = () => ({ ...FOUND.result, resultType: "complete" });

  const modern = (inputSchema: object) => {
    const cached = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
    return allowed({
      call: found,
      methods: {
        "server/discover": () => ({
          ...cached,
          supportedVersions: ["2026-07-28", "2025-11-25"],
          capabilities: { tools: {} },
          _meta: { "io.modelcontextprotocol/serverInfo": { name: "Modern", version: "2.0.0" } },
        }),
        "tools/list": () => ({ ...cached, tools: [{ name: "find", inputSchema }] }),
      },
    });
  };

  it("is the newest that both speak, without a session", async () => {
    const server = await modern({ type: "object" });
    expect(server.added.server).toEqual({ name: "Modern", version: "2.0.0", protocol: "2026-07-28" });
    expect(await call()).toEqual({ ok: true, output: { text: "found" } });
    const bodies = server.requests.map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ method }) => method)).not.toContain("initialize");
    expect(bodies.at(-1).params._meta).toMatchObject({
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    });
  });

  it("sends the parameters that a tool wants as headers too, on a connection that listed no tools", async () => {
    const region = { type: "string", "x-mcp-header": "Region" };
    const server = await modern({ type: "object", properties: { region, word: { type: "string" } } });
    await call(never, { region: "Köln\r\nx: y", word: "hidden" });
    const last = server.requests.at(-1);
    expect(last?.headers["mcp-param-region"]).toBe(
      `=?base64?${Buffer.from("Köln\r\nx: y").toString("base64")}?=`,
    );
    expect(Object.keys(last?.headers ?? {}).filter((name) => name.startsWith("mcp-param-"))).toHaveLength(1);
    const listed = server.requests.filter(({ body }) => body.includes('"tools/list"'));
    expect(listed).toHaveLength(1);
  });

  it.each(["2025-11-25", "2025-06-18"])("is %s at a server of that time", async (protocol) => {
    const server = await allowed({
      call: () => FOUND.result,
      methods: {
        initialize: () => ({
          protocolVersion: protocol,
          capabilities: { tools: {} },
          serverInfo: { name: "Older", version: "1.0.0" },
        }),
      },
    });
    expect(server.added.server).toMatchObject({ protocol });
    expect(await call()).toEqual({ ok: true, output: { text: "found" } });
  });
});

it("names the older transport of a server that speaks no other", async () => {
  const server = await startMockServer((request, response) => {
    if (request.method !== "GET") return void response.writeHead(404).end("<pre>Cannot POST /sse</pre>");
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("event: endpoint\ndata: /messages?sessionId=1\n\n");
  });
  closers.push(() => server.close());
  setEnv({
    NODE_ENV: "test",
    LOG_LEVEL: "silent",
    DATA_DIR: test.folder,
    EGRESS_ALLOW: `127.0.0.1:${server.port}`,
  });
  await expect(add(`${server.origin}/sse`)).rejects.toThrow("Lab speaks the older transport HTTP+SSE");
});
