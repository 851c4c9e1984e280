import { afterAll, beforeAll, expect, it } from "vitest";
import { signCall } from "~/core/webhook-signature.server";
import { type Ask, startServer, type TestServer } from "../support/server";

const SECRET = "a secret of the sender";
const EVIL = "https://evil.example";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ env: { QUARTERDECK_KEY_HOOK: SECRET } });
});
afterAll(() => server.close());

async function make<T>(path: string, options: Ask): Promise<T> {
  const response = await server.ask(path, { as: "owner", ...options });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return JSON.parse(text || "null") as T;
}

it("a captured webhook call starts no second run under any Idempotency-Key", async () => {
  const key = { provider: "other", alias: "QUARTERDECK_KEY_HOOK", origin: "https://sender.example.com" };
  const { id: signatureKey } = await make<{ id: string }>("/api/keys", { json: key });
  const workflow = {
    name: "Hooked",
    triggers: [{ id: "hook", type: "webhook", config: { signatureKey } }],
    steps: [{ type: "log", config: { message: "x" } }],
  };
  const { id } = await make<{ id: string }>("/api/workflows", { json: workflow });
  const hooks = JSON.stringify(await make(`/api/workflows/${id}/webhooks`, {}));
  const path = /\/api\/hooks\/[\w-]+/.exec(hooks)?.[0] ?? "";
  const captured = {
    "content-type": "application/json",
    ...signCall({ secret: SECRET, id: "one", rawBody: Buffer.from("{}"), now: Date.now() }),
  };
  const runs: string[] = [];
  for (const key of [undefined, "a", "b", "c"]) {
    const headers = { ...captured, ...(key ? { "idempotency-key": key } : {}) };
    const response = await server.ask(path, { body: "{}", headers });
    runs.push(((await response.json()) as { runId: string }).runId);
  }
  expect(new Set(runs).size).toBe(1);
  expect(await make("/api/runs", {})).toHaveLength(1);
});

it("a link of a suspended member doesn't open, and an admin finds and revokes it", async () => {
  await make("/api/settings/advanced", { method: "PUT", json: { security: { allowShareLinks: true } } });
  const messages = [{ role: "user", content: "Hello" }];
  const said = await server.ask("/api/ai/chat", {
    as: "member",
    json: { messages, model: "quarterdeck-offline" },
  });
  await said.text();
  const conversation = `/api/ai/conversations/${said.headers.get("x-conversation-id")}`;
  const link = await make<{ id: string; url: string }>(`${conversation}/links`, { as: "member", json: {} });
  const { pathname } = new URL(link.url);
  const statusOf = async () => (await server.ask(pathname)).status;
  expect(await statusOf()).toBe(200);
  await make("/api/members/usr_member/suspend", { method: "POST" });
  expect(await statusOf()).toBe(404);
  await make("/api/members/usr_member/resume", { method: "POST" });
  expect(await statusOf()).toBe(200);
  const links = await make<{ id: string }[]>("/api/ai/share-links", { as: "admin" });
  expect(links.map(({ id }) => id)).toEqual([link.id]);
  await make(`/api/ai/share-links/${link.id}`, { as: "admin", method: "DELETE" });
  expect(await statusOf()).toBe(404);
});

it.each([
  ["an empty Authorization", ""],
  ["another scheme", "Basic eDp4"],
])("%s doesn't let another site's request use the cookie", async (_, authorization) => {
  const headers = { authorization, origin: EVIL };
  const json = { name: "Mine", description: "d", systemPrompt: "s" };
  expect((await server.ask("/api/personas", { as: "owner", json, headers })).status).toBe(403);
  const own = { ...headers, origin: server.baseUrl };
  expect((await server.ask("/api/personas", { as: "owner", json, headers: own })).status).not.toBe(403);
  expect((await server.ask("/personas", { as: "owner", form: { intent: "x" }, headers })).status).toBe(403);
});

it.each(["/\t/evil.example", "/\n/evil.example", "//evil.example", "\\\\evil.example", "/\\evil.example"])(
  "a logo at %j never appears on a page",
  async (logoUrl) => {
    const saved = await server.ask("/api/branding", { as: "admin", method: "PUT", json: { logoUrl } });
    const errors = { logoUrl: ["Enter a path that begins with / or an https address"] };
    expect(await saved.json()).toMatchObject({ status: 400, errors });
    for (const path of ["/login", "/shared/none"])
      expect(await (await server.ask(path)).text()).not.toContain("evil.example");
  },
);
