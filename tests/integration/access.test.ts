import { afterAll, beforeAll, expect, it } from "vitest";
import type { Role } from "~/core/actor";
import { type MockServer, startMockServer } from "../support/mock-server";
import { type Ask, startServer, type TestServer } from "../support/server";

const MODEL = "endless";

let adminToken: string;
let model: MockServer;
let server: TestServer;

beforeAll(async () => {
  model = await startMockServer((request, response) => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ data: [{ id: MODEL }] }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const timer = setInterval(() => {
      const chunk = { id: "1", object: "chat.completion.chunk", created: 1, model: MODEL };
      const choices = [{ index: 0, delta: { content: "on " }, finish_reason: null }];
      response.write(`data: ${JSON.stringify({ ...chunk, choices })}\n\n`);
    }, 50);
    response.on("close", () => clearInterval(timer));
  });
  server = await startServer();
  const made = await server.ask("/api/providers", {
    as: "owner",
    json: {
      provider: "custom",
      displayName: "Endless",
      enabled: true,
      config: { baseUrl: `${model.origin}/v1`, models: [MODEL] },
    },
  });
  expect(made.status, await made.clone().text()).toBe(201);
});

afterAll(async () => {
  await server?.close();
  await model?.close();
});

/** Opens an answer that never ends by itself, reads its beginning, makes the change, and reads on until it has ended. */
async function readUntilEndedBy(asker: Ask, change: () => Promise<Response>): Promise<void> {
  const response = await server.ask("/api/ai/chat", {
    ...asker,
    json: { messages: [{ role: "user", content: "go on" }], model: MODEL },
  });
  expect(response.status, response.ok ? "" : await response.text()).toBe(200);
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let read = "";
  while (!read.includes("on ")) read += decoder.decode((await reader?.read())?.value, { stream: true });
  expect((await change()).status).toBeLessThan(300);
  while (!(await reader?.read())?.done);
}

async function signedInStatus(role: Role) {
  return (await server.ask("/api/auth/user", { as: role })).status;
}

it("ends the open answer and the sessions of someone who signs out everywhere", async () => {
  const signOut = () => server.ask("/api/auth/sessions", { as: "owner", method: "DELETE" });
  const token = await server.createToken("owner");
  await readUntilEndedBy({ as: "owner" }, signOut);
  expect(await signedInStatus("owner")).toBe(401);
  // Programs are another matter: a token is revoked by itself.
  expect((await server.ask("/api/auth/user", { token })).status).toBe(200);
});

it("ends the open answer, the sessions and the stronger tokens of someone whose role sinks", async () => {
  const token = await server.createToken("member");
  const sink = () =>
    server.ask("/api/members/usr_member", { as: "admin", method: "PATCH", json: { role: "viewer" } });
  await readUntilEndedBy({ as: "member" }, sink);
  expect(await signedInStatus("member")).toBe(401);
  expect((await server.ask("/api/auth/user", { token })).status).toBe(401);
});

/** The headers of someone whose session has ended, signed in again. */
async function signInAgain(role: Role) {
  const cookie = await server.signIn(`${role}@example.org`, "correct horse battery");
  return { cookie, origin: server.baseUrl };
}

it("ends the open answer and the sessions of someone who is suspended, and stops their tokens until then", async () => {
  const token = await server.createToken("admin", ["screens.read"]);
  adminToken = token;
  const headers = await signInAgain("owner");
  const change = (verb: "suspend" | "resume") =>
    server.ask(`/api/members/usr_admin/${verb}`, { method: "POST", headers });
  await readUntilEndedBy({ as: "admin" }, () => change("suspend"));
  expect(await signedInStatus("admin")).toBe(401);
  expect((await server.ask("/api/auth/user", { token })).status).toBe(401);
  const form = { email: "admin@example.org", password: "correct horse battery" };
  const refused = await server.ask("/login", { form, headers: { origin: server.baseUrl } });
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining("Your account is suspended. Ask an admin to resume it."),
  ]);
  expect((await change("resume")).status).toBe(200);
  expect(await signedInStatus("admin")).toBe(401);
  expect((await server.ask("/api/auth/user", { token })).status).toBe(200);
});

it("ends everything of someone who is removed", async () => {
  const token = adminToken;
  expect((await server.ask("/api/auth/user", { token })).status).toBe(200);
  const headers = await signInAgain("owner");
  const remove = () =>
    server.ask("/api/members/usr_admin?conversations=delete", { method: "DELETE", headers });
  await readUntilEndedBy({ headers: await signInAgain("admin") }, remove);
  expect(await signedInStatus("admin")).toBe(401);
  expect((await server.ask("/api/auth/user", { token })).status).toBe(401);
});
