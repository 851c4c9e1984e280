import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/server";

const run = promisify(execFile);

/** The suite's scenarios that the console's client passes. */
const APPLICABLE = [
  "initialize",
  "tools_call",
  "sse-retry",
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/basic-cimd",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
  "auth/pre-registration",
  "auth/resource-mismatch",
  "auth/offline-access-scope",
  "auth/offline-access-not-supported",
];

/** Why the others don't apply. */
const LEFT_OUT: Record<string, RegExp> = {
  "its tool is called by a step of a workflow, where nobody can be asked": /^elicitation-/,
  "its metadata names another issuer than its address, which RFC 8414 (3.3) has clients refuse":
    /^auth\/2025-03-26-oauth-metadata-backcompat$/,
  "a server without any OAuth metadata takes a key reference": /^auth\/2025-03-26-oauth-endpoint-fallback$/,
  "an extension of the protocol, without a person who signs in":
    /^auth\/(client-credentials-|cross-app-access-)/,
};

const suite = process.env.MCP_CONFORMANCE ?? "";
let server: TestServer;
let results: string;

beforeAll(async () => {
  if (!suite) throw new Error("Run this by `npm run test:mcp`, which has the suite.");
  server = await startServer({
    env: { EGRESS_ALLOW: "localhost", QUARTERDECK_KEY_SCENARIO: "pre-registered-secret" },
  });
  results = mkdtempSync(join(tmpdir(), "quarterdeck-mcp-"));
});
afterAll(async () => {
  rmSync(results, { recursive: true, force: true });
  await server?.close();
});

it.each(APPLICABLE)("%s", async (scenario) => {
  const command = `"${process.execPath}" tests/mcp/client.mjs`;
  const options = ["--scenario", scenario, "--command", command, "--output-dir", results];
  const { stdout, stderr } = await run(process.execPath, [suite, "client", ...options], {
    env: { ...process.env, CONSOLE_URL: server.baseUrl, CONSOLE_COOKIE: server.cookieOf("admin") },
  }).catch((error: { stdout: string; stderr: string }) => error);
  expect(stdout + stderr).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
});

it("leaves no scenario out without a reason", async () => {
  const { stdout } = await run(process.execPath, [suite, "list", "--client"]);
  const names = [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name = ""]) => name);
  expect(names).toEqual(expect.arrayContaining(APPLICABLE));
  const isExplained = (name: string) => Object.values(LEFT_OUT).some((pattern) => pattern.test(name));
  expect(names.filter((name) => !APPLICABLE.includes(name) && !isExplained(name))).toEqual([]);
});
