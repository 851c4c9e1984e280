import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import type { MockServer } from "./mock-server";
import { startMockServer } from "./mock-server";

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

export async function startEverything(): Promise<{ url: string; close(): Promise<void> }> {
  const manifest = createRequire(import.meta.url).resolve(
    "@modelcontextprotocol/server-everything/package.json",
  );
  const port = await freePort();
  const child: ChildProcess = spawn(
    process.execPath,
    [join(dirname(manifest), "dist/index.js"), "streamableHttp"],
    { env: { PORT: String(port) } as unknown as NodeJS.ProcessEnv, stdio: ["ignore", "ignore", "pipe"] },
  );
  await new Promise<void>((ready, failed) => {
    child.stderr?.on("data", (chunk: Buffer) => {
      if (/listening on port/i.test(chunk.toString())) ready();
    });
    child.once("exit", (code) => failed(new Error(`The MCP server ended with ${code}.`)));
  });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: () =>
      new Promise((done) => {
        child.removeAllListeners("exit");
        child.once("exit", () => done());
        child.kill("SIGKILL");
      }),
  };
}

interface Listed {
  name: string;
  description?: string;
  inputSchema?: unknown;
}

/** Scripted responses, mutable between calls. */
export interface Script {
  tools: Listed[] | (() => unknown);
  call?: (name: string, input: unknown) => unknown;
  /** Messages before a result; `token` is for progress. */
  before?: (name: string, token: unknown) => unknown[];
  /** Delays the result. */
  until?: Promise<void>;
  /** Other methods' results, such as `prompts/list`. */
  methods?: Record<string, (params: Record<string, unknown>) => unknown>;
  capabilities?: Record<string, unknown>;
  /** Other sessions get 404. */
  session?: string;
  raw?: (
    method: string,
  ) =>
    | { status: number; headers?: Record<string, string>; body: string | Buffer }
    | "hang"
    | "die"
    | undefined;
  /** Messages of a response that broke off, when its client comes back; undefined refuses that. */
  resume?: (lastEventId: string) => unknown[] | undefined;
  /** Leaves such a response open; called once its client closed it. */
  onClose?: () => void;
}

/** A minimal server of protocol 2025-06-18 that follows a script. */
export async function openScripted(script: Script): Promise<MockServer & { url: string }> {
  let lastId: number | undefined;
  const end = await startMockServer((request, response) => {
    if (request.method === "GET") {
      const messages = script.resume?.(String(request.headers["last-event-id"]));
      if (!messages) return void response.writeHead(405).end();
      response.writeHead(200, { "content-type": "text/event-stream" });
      const texts = messages.map((one) => JSON.stringify({ jsonrpc: "2.0", id: lastId, ...(one as object) }));
      const events = texts.map((text) => `data: ${text}\n\n`).join("");
      if (!script.onClose) return void response.end(events);
      response.once("close", script.onClose);
      return void response.write(events);
    }
    if (request.method !== "POST") return void response.writeHead(405).end();
    const given = request.headers["mcp-session-id"];
    if (given !== undefined && given !== script.session) return void response.writeHead(404).end();
    const message = JSON.parse(request.text) as {
      id?: number;
      method: string;
      params?: Record<string, unknown> & { _meta?: { progressToken?: unknown } };
    };
    if (message.id !== undefined) lastId = message.id;
    const raw = script.raw?.(message.method);
    if (raw === "hang") return;
    if (raw === "die") {
      response.writeHead(200, { "content-type": "application/json" }).write('{"jsonrpc":');
      return void response.destroy();
    }
    if (raw) return void response.writeHead(raw.status, raw.headers).end(raw.body);
    if (message.id === undefined) return void response.writeHead(202).end();
    const results: Record<string, () => unknown> = {
      initialize: () => ({
        protocolVersion: "2025-06-18",
        capabilities: { tools: {}, ...script.capabilities },
        serverInfo: { name: "Scripted", version: "1.2.3" },
      }),
      "tools/list": () =>
        typeof script.tools === "function"
          ? script.tools()
          : { tools: script.tools.map((tool) => ({ inputSchema: { type: "object" }, ...tool })) },
      "tools/call": () => script.call?.(String(message.params?.name), message.params?.arguments),
      ...Object.fromEntries(
        Object.entries(script.methods ?? {}).map(([method, answer]) => [
          method,
          () => answer(message.params ?? {}),
        ]),
      ),
    };
    const result = results[message.method]?.();
    const answer =
      result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
    const text = JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer });
    const session = script.session === undefined ? {} : { "mcp-session-id": script.session };
    const before =
      message.method === "tools/call"
        ? script.before?.(String(message.params?.name), message.params?._meta?.progressToken)
        : undefined;
    if (!before)
      return void response.writeHead(200, { "content-type": "application/json", ...session }).end(text);
    response.writeHead(200, { "content-type": "text/event-stream", ...session });
    for (const one of before)
      response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...(one as object) })}\n\n`);
    void Promise.resolve(script.until).then(() => response.end(`data: ${text}\n\n`));
  });
  return { ...end, url: `${end.origin}/mcp` };
}
