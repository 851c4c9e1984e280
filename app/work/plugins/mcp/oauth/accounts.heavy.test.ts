import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { callTool } from "~/ai/tools/call-tool.service.server";
import { removeMember } from "~/console/offboarding/offboarding.service.server";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import { withPurpose } from "~/core/purpose.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { mcpAccounts } from "~db/schema";
import { CookieClient } from "../../../../../tests/support/cookie-client";
import { openTestDatabase } from "../../../../../tests/support/database";
import { type ProtectedServer, startProtectedServer } from "../../../../../tests/support/mcp-oauth";
import { type MockServer, startMockServer } from "../../../../../tests/support/mock-server";
import { uninstallPlugin } from "../../install.service.server";
import { startPlugins } from "../../plugin-tools.service.server";
import { listInstalled } from "../../plugins.service.server";
import { addMcpServer, decideTools, readMcpServer, refreshAllServers } from "../mcp-servers.service.server";
import {
  chooseAccounts,
  disconnectAccount,
  finishConnect,
  listOwnAccounts,
  startConnect,
} from "./connect.service.server";

const never = new AbortController().signal;
const ID = "mcp-guarded";
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
    PUBLIC_URL: "https://console.example.org",
    EGRESS_ALLOW: `${new URL(server.url).host},${new URL(server.issuer).host}`,
  });
});
afterEach(async () => {
  server.callScope = undefined;
  await stop();
  await home.close();
  test.close();
});

/** Signs in at the authorization server's own pages. @returns the scope that was asked for */
async function connect(actor: Actor): Promise<string | null> {
  const { url } = await startConnect(actor, ID, home.origin);
  const client = new CookieClient();
  const page = await client.passProvider(await client.open(url), actor.userId);
  await finishConnect(actor, page.url.searchParams, never);
  return new URL(url).searchParams.get("scope");
}

const add = () =>
  addMcpServer(
    test.actors.admin,
    { title: "Guarded", url: server.url, command: "", keyId: "", header: "" },
    never,
  );
const allowEcho = () => {
  const echo = readMcpServer(test.actors.admin, ID).tools.find(({ name }) => name === "echo");
  decideTools(test.actors.admin, ID, { allowed: [`echo#${echo?.hash}`] });
};
const call = (actor: Actor) =>
  callTool(
    actor,
    `${ID}.echo`,
    { message: "hello" },
    { source: { kind: "chat" }, signal: never, approval: "given" },
  );
const ECHOED = { ok: true, output: { text: "Echo: hello" } };
const holders = () =>
  db()
    .select({ userId: mcpAccounts.userId })
    .from(mcpAccounts)
    .all()
    .map(({ userId }) => userId);
const trail = () => listAudit(test.actors.owner, { limit: 30 }).entries.map(({ action }) => action);

describe("accounts of persons", () => {
  /** The admin's account lists the tools. */
  async function personal() {
    await add();
    await chooseAccounts(test.actors.admin, ID, { accounts: "personal" });
    await connect(test.actors.admin);
    allowEcho();
  }

  it("are connected by each person, whose calls alone use them", async () => {
    await personal();
    const { admin, member } = test.actors;
    expect(listOwnAccounts(member)).toEqual([
      { id: ID, title: "Guarded", url: server.url, connected: false, issuer: null, neededScope: null },
    ]);
    expect(await call(admin)).toEqual(ECHOED);
    expect(await call(member)).toMatchObject({
      ok: false,
      error:
        "Guarded isn't connected to an account of yours. Connect your account in your profile: https://console.example.org/settings/profile#mcp-accounts",
    });
    await connect(member);
    expect(await call(member)).toEqual(ECHOED);
    expect(listOwnAccounts(member)).toMatchObject([{ connected: true, issuer: server.issuer }]);
    expect(JSON.stringify(db().select().from(mcpAccounts).all())).not.toContain("access_token");
    await disconnectAccount(member, ID);
    expect(await call(member)).toMatchObject({ ok: false });
    expect(await call(admin)).toEqual(ECHOED);
    expect(trail()).toEqual(
      expect.arrayContaining([
        "extension.accounts_chosen",
        "extension.account_connected",
        "extension.account_disconnected",
      ]),
    );
  });

  it("aren't finished by another person", async () => {
    await personal();
    const { admin, member } = test.actors;
    const { url } = await startConnect(member, ID, home.origin);
    const client = new CookieClient();
    const page = await client.passProvider(await client.open(url), "other");
    await expect(finishConnect(admin, page.url.searchParams, never)).rejects.toThrow(/expired or was used/);
  });

  it("are used by workflows of their owner", async () => {
    await personal();
    const { admin, member } = test.actors;
    const asWorkflow = (memberId: string) =>
      withPurpose({ workflowId: "wf_1", memberId }, () => call({ ...member, userId: "workflow:wf_1" }));
    expect(await asWorkflow(admin.userId)).toEqual(ECHOED);
    expect(await asWorkflow(member.userId)).toMatchObject({ ok: false });
  });

  it("aren't used by checks in the background", async () => {
    await personal();
    const { admin } = test.actors;
    const { checkedAt } = readMcpServer(admin, ID);
    await refreshAllServers(admin.orgId, never);
    expect(readMcpServer(admin, ID)).toMatchObject({ checkedAt, error: null });
  });

  it("go with their person, with the server, and with the choice", async () => {
    await personal();
    const { admin, owner, member } = test.actors;
    await connect(member);
    expect(holders().sort()).toEqual([admin.userId, member.userId].sort());
    removeMember(owner, member.userId, {});
    expect(holders()).toEqual([admin.userId]);
    await chooseAccounts(admin, ID, { accounts: "shared" });
    expect(holders()).toEqual([]);
    await connect(admin);
    await chooseAccounts(admin, ID, { accounts: "personal" });
    expect(readMcpServer(admin, ID).account).toMatchObject({ accounts: "personal", connected: false });
    await connect(admin);
    uninstallPlugin(admin, ID);
    expect(holders()).toEqual([]);
  });
});

it("leaves the shared account to admins", async () => {
  await add();
  const { member } = test.actors;
  await expect(startConnect(member, ID, home.origin)).rejects.toThrow(/admin/);
  await expect(disconnectAccount(member, ID)).rejects.toThrow(/admin/);
  await expect(chooseAccounts(member, ID, { accounts: "personal" })).rejects.toThrow(/admin/);
  expect(listOwnAccounts(member)).toEqual([]);
});

it("says which scope a call lacked, and asks for it at the next sign-in", async () => {
  await add();
  const { admin, member } = test.actors;
  expect(await connect(admin)).toBe("mcp offline_access");
  allowEcho();
  server.callScope = "mcp:write";
  expect(await call(member)).toMatchObject({
    ok: false,
    error:
      'Guarded refused the call: its account lacks the scope "mcp:write". An admin can connect it again under Extensions.',
  });
  expect(readMcpServer(admin, ID).account).toMatchObject({ connected: true, neededScope: "mcp:write" });
  expect(listInstalled(admin)[0]?.problem).toBeNull();
  expect((await connect(admin))?.split(" ").sort()).toEqual(["mcp", "mcp:write", "offline_access"]);
  expect(readMcpServer(admin, ID).account).toMatchObject({ neededScope: null });
  expect(await call(member)).toEqual(ECHOED);
});
