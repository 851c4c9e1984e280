import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { callTool } from "~/ai/tools/call-tool.service.server";
import { setClock } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { CookieClient } from "../../../../../tests/support/cookie-client";
import { openTestDatabase } from "../../../../../tests/support/database";
import { type ProtectedServer, startProtectedServer } from "../../../../../tests/support/mcp-oauth";
import { type MockServer, startMockServer } from "../../../../../tests/support/mock-server";
import { uninstallPlugin } from "../../install.service.server";
import { startPlugins } from "../../plugin-tools.service.server";
import { findMcpServerRow } from "../../plugins.repo.server";
import { listInstalled } from "../../plugins.service.server";
import { addMcpServer, decideTools, readMcpServer } from "../mcp-servers.service.server";
import { disconnectAccount, finishConnect, startConnect } from "./connect.service.server";

const never = new AbortController().signal;
let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void>;
let server: ProtectedServer;
/** Stands for the browser's way back to the console. */
let home: MockServer;

beforeAll(async () => {
  server = await startProtectedServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  test = openTestDatabase();
  stop = startPlugins();
  home = await startMockServer((_, response) => void response.end("home"));
  setEnv({
    NODE_ENV: "test",
    LOG_LEVEL: "silent",
    DATA_DIR: test.folder,
    EGRESS_ALLOW: `${new URL(server.url).host},${new URL(server.issuer).host}`,
  });
});
afterEach(async () => {
  setClock();
  await stop();
  await home.close();
  test.close();
});

const add = () =>
  addMcpServer(
    test.actors.admin,
    { title: "Guarded", url: server.url, command: "", keyId: "", header: "" },
    never,
  );
const start = () => startConnect(test.actors.admin, "mcp-guarded", home.origin);
const call = () =>
  callTool(
    test.actors.member,
    "mcp-guarded.echo",
    { message: "hello" },
    { source: { kind: "chat" }, signal: never, approval: "given" },
  );
/** As an admin, who sees the server. */
async function finish(...args: Parameters<typeof finishConnect>) {
  const { server: connected } = await finishConnect(...args);
  if (!connected) throw new Error("The server wasn't listed.");
  return connected;
}
const stored = () => findMcpServerRow(db(), test.actors.admin.orgId, "mcp-guarded")?.credentials ?? null;

/** Signs in at the authorization server's own pages. @returns what it sends the browser back with */
async function signIn(url: string): Promise<URLSearchParams> {
  const client = new CookieClient();
  const page = await client.passProvider(await client.open(url), "ada");
  expect(page.url.pathname).toBe("/api/mcp-oauth/callback");
  return page.url.searchParams;
}

async function connect() {
  await add();
  const { url } = await start();
  const connected = await finish(test.actors.admin, await signIn(url), never);
  const echo = connected.tools.find(({ name }) => name === "echo");
  decideTools(test.actors.admin, "mcp-guarded", { allowed: [`echo#${echo?.hash}`] });
  return connected;
}

it("adds a server that requires a sign-in and lists its tools once connected", async () => {
  const added = await add();
  expect(added).toMatchObject({ tools: [], account: { connected: false, issuer: null } });
  const { url } = await start();
  expect(listInstalled(test.actors.admin)[0]?.problem).toContain("isn't connected to an account");
  const parameters = new URL(url).searchParams;
  expect(url.startsWith(server.issuer)).toBe(true);
  expect(Object.fromEntries(parameters)).toMatchObject({
    response_type: "code",
    code_challenge_method: "S256",
    scope: "mcp offline_access",
    resource: server.url,
    redirect_uri: `${home.origin}/api/mcp-oauth/callback`,
  });
  const connected = await finish(test.actors.admin, await signIn(url), never);
  expect(connected.account).toMatchObject({ connected: true, issuer: server.issuer });
  expect(connected.tools.length).toBeGreaterThan(5);
  expect(await call()).toMatchObject({ ok: false });
  const { entries } = listAudit(test.actors.admin, { limit: 20 });
  expect(entries.map(({ action }) => action)).toContain("extension.server_connected");
});

it.each([
  ["tools/list", ["initialize", "notifications/initialized"]],
  ["resources/list", ["initialize", "notifications/initialized", "tools/list"]],
])("adds a server that asks for a sign-in only at %s", async (_, open) => {
  for (const method of open) server.open.add(method);
  try {
    expect(await add()).toMatchObject({ tools: [], account: { connected: false, issuer: null } });
    const { url } = await start();
    expect(new URL(url).searchParams.get("scope")).toBe("mcp offline_access");
    const connected = await finish(test.actors.admin, await signIn(url), never);
    expect(connected.account?.connected).toBe(true);
    expect(connected.tools.length).toBeGreaterThan(5);
  } finally {
    server.open.clear();
  }
});

it("refreshes an expired token once for concurrent calls", async () => {
  await connect();
  await server.expireAccess();
  const before = server.requestedPaths.filter((path) => path === "/token").length;
  const outcomes = await Promise.all([call(), call(), call()]);
  expect(outcomes).toEqual(Array(3).fill({ ok: true, output: { text: "Echo: hello" } }));
  expect(server.requestedPaths.filter((path) => path === "/token")).toHaveLength(before + 1);
});

it("revokes its tokens when disconnected and requires another sign-in", async () => {
  await connect();
  await disconnectAccount(test.actors.admin, "mcp-guarded");
  expect(server.requestedPaths).toContain("/token/revocation");
  expect(stored()).toBeNull();
  const { entries } = listAudit(test.actors.admin, { limit: 20 });
  expect(entries.map(({ action }) => action)).toContain("extension.server_disconnected");
  expect(await call()).toEqual({
    ok: false,
    code: "not_found",
    error: expect.stringContaining("Guarded isn't connected to an account. An admin can connect it"),
  });
});

it("accepts a sign-in only from the user who started it, once and within 15 minutes", async () => {
  await add();
  const answer = await signIn((await start()).url);
  const finish = (actor = test.actors.admin, given = answer) => finishConnect(actor, given, never);
  await expect(finish(test.actors.owner)).rejects.toThrow(/expired or was used/);
  await expect(finish(test.actors.member)).rejects.toThrow(/expired or was used/);
  const forged = new URLSearchParams(answer);
  forged.set("state", "x".repeat(43));
  await expect(finish(test.actors.admin, forged)).rejects.toThrow(/expired or was used/);
  const mixedUp = new URLSearchParams(answer);
  mixedUp.set("iss", "https://other.example");
  await expect(finish(test.actors.admin, mixedUp)).rejects.toThrow(/issuer/i);
  await expect(finish()).rejects.toThrow(/expired or was used/);
  const declined = new URLSearchParams({ error: "access_denied", error_description: "Call 555-0100" });
  declined.set("state", new URL((await start()).url).searchParams.get("state") ?? "");
  await expect(finish(test.actors.admin, declined)).rejects.toThrow(/^The sign-in at Guarded was declined.$/);
  const late = await signIn((await start()).url);
  const begun = Date.now();
  setClock(() => begun + 16 * 60_000);
  await expect(finish(test.actors.admin, late)).rejects.toThrow(/expired or was used/);
});

it("seals tokens with a key outside the database and deletes them with the plugin", async () => {
  await connect();
  const sealed = stored();
  expect(sealed).toMatch(/^v1\.[\w-]{200,}$/);
  const seen = JSON.stringify([
    readMcpServer(test.actors.admin, "mcp-guarded"),
    listAudit(test.actors.admin, { limit: 50 }),
  ]);
  expect(seen).not.toMatch(/access_token|refresh_token|client_id/);
  setEnv({ DATA_DIR: test.folder, SEALING_KEY: "another key of at least 32 characters" });
  expect(readMcpServer(test.actors.admin, "mcp-guarded").account).toMatchObject({
    connected: false,
    issuer: null,
  });
  uninstallPlugin(test.actors.admin, "mcp-guarded");
  expect(stored()).toBeNull();
});

it("can't reach an authorization server that the egress guard denies", async () => {
  const inside = await startMockServer(({ url }, response) => {
    const resource = `${inside.origin}/mcp`;
    if (url !== "/.well-known/oauth-protected-resource/mcp") return void response.writeHead(401).end();
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ resource, authorization_servers: ["http://10.11.12.13"] }));
  });
  try {
    setEnv({
      NODE_ENV: "test",
      LOG_LEVEL: "silent",
      DATA_DIR: test.folder,
      EGRESS_ALLOW: new URL(inside.origin).host,
    });
    const input = { title: "Inside", url: `${inside.origin}/mcp`, command: "", keyId: "", header: "" };
    const { id } = await addMcpServer(test.actors.admin, input, never);
    await expect(startConnect(test.actors.admin, id, home.origin)).rejects.toThrow(/refused/);
  } finally {
    await inside.close();
  }
});

it("uses its metadata document if registration isn't supported", async () => {
  const authority = await startMockServer(({ url = "" }, response) => {
    const { origin } = authority;
    const documents: Record<string, unknown> = {
      "/.well-known/oauth-protected-resource/mcp": {
        resource: `${origin}/mcp`,
        authorization_servers: [origin],
      },
      "/.well-known/oauth-authorization-server": {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        client_id_metadata_document_supported: true,
      },
      "/token": { access_token: "granted", token_type: "Bearer" },
    };
    const found = documents[url];
    response.writeHead(found ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(found ?? {}));
  });
  try {
    setEnv({
      NODE_ENV: "test",
      LOG_LEVEL: "silent",
      DATA_DIR: test.folder,
      EGRESS_ALLOW: new URL(authority.origin).host,
    });
    const input = { title: "Guarded", url: `${authority.origin}/mcp`, command: "", keyId: "", header: "" };
    const { id } = await addMcpServer(test.actors.admin, input, never);
    const { url } = await startConnect(test.actors.admin, id, "https://console.example.org");
    const parameters = new URL(url).searchParams;
    expect(parameters.get("client_id")).toBe("https://console.example.org/api/mcp-oauth/client");
    const answer = new URLSearchParams({ code: "one", state: parameters.get("state") ?? "" });
    const connected = await finish(test.actors.admin, answer, never);
    expect(connected.account).toMatchObject({ connected: true });
    const exchange = authority.requests.find((request) => request.url === "/token");
    expect(new URLSearchParams(exchange?.body).get("client_id")).toBe(parameters.get("client_id"));
  } finally {
    await authority.close();
  }
});

it("treats a 401 without protected resource metadata as a missing key", async () => {
  const closed = await startMockServer((_, response) => void response.writeHead(401).end());
  try {
    setEnv({
      NODE_ENV: "test",
      LOG_LEVEL: "silent",
      DATA_DIR: test.folder,
      EGRESS_ALLOW: new URL(closed.origin).host,
    });
    const input = { title: "Closed", url: `${closed.origin}/mcp`, command: "", keyId: "", header: "" };
    await expect(addMcpServer(test.actors.admin, input, never)).rejects.toThrow(/Check its key reference/);
  } finally {
    await closed.close();
  }
});

interface Shape {
  issuer?: string;
  authorization_endpoint: string;
  token_endpoint: string;
  authorization_response_iss_parameter_supported?: boolean;
  /** Whether it is a server of 2025-03-26, before RFC 9728. */
  isOlder?: boolean;
}

/** A server that requires a sign-in, and is its own issuer unless the shape of its metadata says otherwise. */
function startShaped(shape: (origin: string) => Shape): Promise<MockServer> {
  return startMockServer((request, response) => {
    const origin = `http://${request.headers.host}`;
    const path = request.url ?? "";
    const { isOlder, ...others } = shape(origin);
    const metadata = {
      issuer: origin,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      ...others,
    };
    const challenge = isOlder
      ? "Bearer"
      : `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource"`;
    response.setHeader("content-type", "application/json");
    if (isOlder && path.startsWith("/.well-known/oauth-protected-resource"))
      response.writeHead(404).end("{}");
    else if (path.startsWith("/.well-known/oauth-protected-resource"))
      response.end(JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: [origin] }));
    else if (path.startsWith("/.well-known/")) response.end(JSON.stringify(metadata));
    else if (path === "/token")
      response.end(JSON.stringify({ access_token: "granted", token_type: "Bearer" }));
    else if (path === "/register")
      response.writeHead(201).end(JSON.stringify({ ...JSON.parse(request.text), client_id: "public" }));
    else response.writeHead(401, { "www-authenticate": challenge }).end("{}");
  });
}

async function addShaped(shaped: MockServer, ...others: string[]): Promise<string> {
  const hosts = [shaped.origin, ...others].map((origin) => new URL(origin).host);
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: test.folder, EGRESS_ALLOW: hosts.join() });
  const input = { title: "Mixed", url: `${shaped.origin}/mcp`, command: "", keyId: "", header: "" };
  return (await addMcpServer(test.actors.admin, input, never)).id;
}

const answerOf = (url: string) =>
  new URLSearchParams({ code: "code", state: new URL(url).searchParams.get("state") ?? "" });

const ELSEWHERE = "https://page.example";

it.each<[string, (origin: string, other: string) => Shape]>([
  [
    "whose tokens come from another host than its page, as Google's",
    (origin, other) => ({ authorization_endpoint: `${origin}/authorize`, token_endpoint: `${other}/token` }),
  ],
  [
    "whose page and tokens are at another host than its issuer, as Amazon's",
    (_, other) => ({ authorization_endpoint: `${other}/authorize`, token_endpoint: `${other}/token` }),
  ],
])("accepts a sign-in at a server %s", async (_, shape) => {
  const other = await startShaped((origin) => ({ authorization_endpoint: origin, token_endpoint: origin }));
  const shaped = await startShaped((origin) => shape(origin, other.origin));
  try {
    const { admin } = test.actors;
    const id = await addShaped(shaped, other.origin);
    const { url } = await startConnect(admin, id, home.origin);
    const wrong = answerOf(url);
    wrong.set("iss", ELSEWHERE);
    await expect(finishConnect(admin, wrong, never)).rejects.toThrow(/issuer/i);
    expect(other.requests.filter(({ url: path }) => path === "/token")).toEqual([]);
    const again = await startConnect(admin, id, home.origin);
    const connected = await finish(admin, answerOf(again.url), never);
    expect(connected.account).toMatchObject({ connected: true });
    expect(other.requests.filter(({ url: path }) => path === "/token")).toHaveLength(1);
  } finally {
    await Promise.all([shaped.close(), other.close()]);
  }
});

it("accepts a sign-in at a server of 2025-03-26, which is its own authority", async () => {
  const older = await startShaped((origin) => ({
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    isOlder: true,
  }));
  try {
    const { admin } = test.actors;
    const id = await addShaped(older);
    const { url } = await startConnect(admin, id, home.origin);
    expect(new URL(url).searchParams.has("resource")).toBe(false);
    expect((await finish(admin, answerOf(url), never)).account).toMatchObject({ connected: true });
  } finally {
    await older.close();
  }
});

it.each<[string, Partial<Shape>, RegExp]>([
  ["names the page of another server", {}, /different servers for the sign-in page and for its tokens/],
  ["also names that server as its issuer", { issuer: ELSEWHERE }, /issuer/i],
  [
    "says that the page's server names itself",
    { authorization_response_iss_parameter_supported: true },
    /came from another server/,
  ],
])("doesn't send a server the code of another sign-in page: it %s", async (_, more, reason) => {
  const attacker = await startShaped((origin) => ({
    authorization_endpoint: `${ELSEWHERE}/authorize`,
    token_endpoint: `${origin}/token`,
    ...more,
  }));
  try {
    const { admin } = test.actors;
    const id = await addShaped(attacker);
    const connecting = async () => {
      const { url } = await startConnect(admin, id, home.origin);
      return finish(admin, answerOf(url), never);
    };
    await expect(connecting()).rejects.toThrow(reason);
    expect(attacker.requests.filter(({ url }) => url === "/token")).toEqual([]);
  } finally {
    await attacker.close();
  }
});
