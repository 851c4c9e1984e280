import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/server";

const run = promisify(execFile);

/** The suite's scenarios that ask for what the endpoint offers, by whatever name. */
const APPLICABLE = ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"];

/** Why the others don't apply. */
const LEFT_OUT: Record<string, RegExp> = {
  "names a tool, resource or prompt of the suite's own server":
    /^(tools-call-|json-schema-2020-12|resources-read-|resources-templates-read|prompts-get-|server-sse-polling|elicitation-)/,
  "logging, completion and subscriptions aren't offered":
    /^(logging-set-level|completion-complete|resources-(un)?subscribe)$/,
  "needs a session, which a stateless endpoint doesn't have": /^server-sse-multiple-streams$/,
  "is for servers without authentication": /^dns-rebinding-protection$/,
};

const suite = process.env.MCP_CONFORMANCE ?? "";
let server: TestServer;
let token: string;

/** Sends the token, which the suite can't. */
const proxy = createServer(async (request, response) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const headers = new Headers({ authorization: `Bearer ${token}` });
  for (const name of ["accept", "content-type", "mcp-protocol-version"]) {
    const value = request.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  const body = pieces.length > 0 ? { body: Buffer.concat(pieces) } : {};
  const answered = await fetch(`${server.baseUrl}/mcp`, {
    method: request.method ?? "GET",
    headers,
    ...body,
  });
  response.writeHead(answered.status, {
    "content-type": answered.headers.get("content-type") ?? "text/plain",
  });
  response.end(Buffer.from(await answered.arrayBuffer()));
});

beforeAll(async () => {
  if (!suite) throw new Error("Run this by `npm run test:mcp`, which has the suite.");
  server = await startServer();
  token = await server.createToken("member");
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  proxy.close();
  await server?.close();
});

it.each(APPLICABLE)("%s", async (scenario) => {
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
  const { stdout } = await run(process.execPath, [suite, "server", "--url", url, "--scenario", scenario]);
  expect(stdout).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
});

it("leaves no scenario out without a reason", async () => {
  const { stdout } = await run(process.execPath, [suite, "list", "--server"]);
  const names = [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name = ""]) => name);
  expect(names).toEqual(expect.arrayContaining(APPLICABLE));
  const isExplained = (name: string) => Object.values(LEFT_OUT).some((pattern) => pattern.test(name));
  expect(names.filter((name) => !APPLICABLE.includes(name) && !isExplained(name))).toEqual([]);
});
