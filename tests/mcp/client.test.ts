import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/server";

const run = promisify(execFile);

/** Scenarios of every revision with OAuth. */
const SIGN_IN = [
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
];

/** By revision, the suite's scenarios that the console's client passes. */
const APPLICABLE = {
  "2025-11-25": ["initialize", "tools_call", "sse-retry", ...SIGN_IN, "json-schema-2020-12-preservation"],
  "2026-07-28": [
    "tools_call",
    "request-metadata",
    "sep-2322-client-request-state",
    ...SIGN_IN,
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
    "auth/authorization-server-migration",
    "auth/iss-supported",
    "auth/iss-not-advertised",
    "auth/iss-supported-missing",
    "auth/iss-wrong-issuer",
    "auth/iss-unexpected",
    "auth/iss-normalized",
    "auth/metadata-issuer-mismatch",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
    "json-schema-2020-12-preservation",
  ],
};
type Revision = keyof typeof APPLICABLE;
const REVISIONS = Object.keys(APPLICABLE) as Revision[];

/** Why the others don't apply. */
const LEFT_OUT: Record<string, RegExp> = {
  "its server asks over a stream beside the call's, which the console doesn't open": /^elicitation-/,
  "its metadata names another issuer than its address, which RFC 8414 (3.3) has clients refuse":
    /^auth\/2025-03-26-oauth-metadata-backcompat$/,
  "a server without any OAuth metadata takes a key reference": /^auth\/2025-03-26-oauth-endpoint-fallback$/,
  "an extension of the protocol, without a person who signs in or for skills":
    /^(auth\/(client-credentials-|enterprise-managed-|dpop|wif-)|sep-2640-)/,
};

const suite = process.env.MCP_CONFORMANCE ?? "";
let results: string;

beforeAll(() => {
  if (!suite) throw new Error("Run this by `npm run test:mcp`, which has the suite.");
  results = mkdtempSync(join(tmpdir(), "quarterdeck-mcp-"));
});
afterAll(() => rmSync(results, { recursive: true, force: true }));

describe.each(REVISIONS)("%s", (revision) => {
  // A console for each, as one takes 50 MCP servers.
  let server: TestServer;
  beforeAll(async () => {
    const key = `QUARTERDECK_KEY_${revision.replaceAll("-", "")}`;
    server = await startServer({ env: { EGRESS_ALLOW: "localhost", [key]: "pre-registered-secret" } });
  });
  afterAll(() => server?.close());

  it.each(APPLICABLE[revision])("%s", async (scenario) => {
    const command = `"${process.execPath}" tests/mcp/client.mjs`;
    const options = ["--spec-version", revision, "--command", command, "--output-dir", results];
    const { stdout, stderr } = await run(
      process.execPath,
      [suite, "client", "--scenario", scenario, ...options],
      { env: { ...process.env, CONSOLE_URL: server.baseUrl, CONSOLE_COOKIE: server.cookieOf("admin") } },
    ).catch((error: { stdout: string; stderr: string }) => error);
    expect(stdout + stderr).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
  });
});

it("leaves no scenario out without a reason", async () => {
  const { stdout } = await run(process.execPath, [suite, "list", "--client"]);
  const listed = [...stdout.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)];
  const isExplained = (name: string) => Object.values(LEFT_OUT).some((pattern) => pattern.test(name));
  const inRevision = (revision: Revision) =>
    listed.flatMap(([, name = "", revisions = ""]) =>
      revisions.split(",").includes(revision) ? [name] : [],
    );
  for (const revision of REVISIONS) {
    const untried = inRevision(revision).filter((name) => !APPLICABLE[revision].includes(name));
    expect(untried.filter((name) => !isExplained(name))).toEqual([]);
  }
  const tried = new Set(Object.values(APPLICABLE).flat());
  const names = listed.map(([, name = ""]) => name);
  expect(names.filter((name) => !tried.has(name) && !isExplained(name))).toEqual([]);
});
