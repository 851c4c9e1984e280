import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/server";

const run = promisify(execFile);

/** By revision, the suite's scenarios that ask for what the endpoint offers, by whatever name. */
const APPLICABLE = {
  "2025-06-18": ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"],
  "2025-11-25": ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"],
  "2026-07-28": [
    "tools-list",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "sep-2164-resource-not-found",
    "caching",
    "http-header-validation",
    "input-required-result-unsupported-methods",
  ],
};
type Revision = keyof typeof APPLICABLE;
const REVISIONS = Object.keys(APPLICABLE) as Revision[];

/** Tried as far as it goes without a tool of the suite's own server. */
const STATELESS = "server-stateless";

/** Why the others don't apply. */
const LEFT_OUT: Record<string, RegExp> = {
  "names a tool, resource or prompt of the suite's own server":
    /^(tools-call-|json-schema-2020-12|resources-read-|resources-templates-read|prompts-get-|server-sse-polling|elicitation-|input-required-result-)/,
  "no tool of the console wants a parameter in a header": /^http-custom-header-server-validation$/,
  "logging, completion and subscriptions aren't offered":
    /^(logging-set-level|completion-complete|resources-(un)?subscribe)$/,
  "needs a session, which a stateless endpoint doesn't have":
    /^server-(session-lifecycle|sse-multiple-streams)$/,
  "is for servers without authentication": /^dns-rebinding-protection$/,
};

const suite = process.env.MCP_CONFORMANCE ?? "";
let server: TestServer;
let token: string;

/** Sends the token, which the suite can't. */
const proxy = createServer(async (request, response) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (/^(?:accept|content-type|mcp-.+)$/.test(name) && typeof value === "string") headers.set(name, value);
  headers.set("authorization", `Bearer ${token}`);
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

/** What the suite prints, whose exit code tells of any failure. */
async function printed(scenario: string, revision: Revision): Promise<string> {
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
  const options = ["--url", url, "--scenario", scenario, "--spec-version", revision];
  const { stdout } = await run(process.execPath, [suite, "server", ...options]).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

describe.each(REVISIONS)("%s", (revision) => {
  it.each(APPLICABLE[revision])("%s", async (scenario) => {
    expect(await printed(scenario, revision)).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
  });

  it("leaves no scenario out without a reason", async () => {
    const { stdout } = await run(process.execPath, [suite, "list", "--server", "--spec-version", revision]);
    const names = [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name = ""]) => name);
    const tried = [...APPLICABLE[revision], ...(revision === "2026-07-28" ? [STATELESS] : [])];
    expect(names).toEqual(expect.arrayContaining(tried));
    const isExplained = (name: string) => Object.values(LEFT_OUT).some((pattern) => pattern.test(name));
    expect(names.filter((name) => !tried.includes(name) && !isExplained(name))).toEqual([]);
  });
});

it(`${STATELESS}, but for what needs a tool of the suite's own server`, async () => {
  const output = await printed(STATELESS, "2026-07-28");
  const [, passed] = /Passed: (\d+)\/\d+, \d+ failed/.exec(output) ?? [];
  expect(Number(passed)).toBeGreaterThan(20);
  const reasons = [...output.matchAll(/^ {4}Error: (.*)$/gm)].map(([, reason = ""]) => reason);
  const isUntestable = /^Not testable: server does not list the diagnostic tool '\w+'/;
  expect(reasons.filter((reason) => !isUntestable.test(reason))).toEqual([]);
});
