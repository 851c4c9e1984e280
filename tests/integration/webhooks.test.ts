import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { signCall } from "~/core/webhook-signature.server";
import { startServer, type TestServer } from "../support/server";

const SECRET = "a secret of the sender";
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ env: { QUARTERDECK_KEY_HOOK: SECRET, LOG_LEVEL: "info" } });
});
afterAll(() => server.close());

async function made<T>(path: string, json: unknown): Promise<T> {
  const response = await server.ask(path, { as: "owner", json });
  expect(response.status).toBe(201);
  return (await response.json()) as T;
}

async function createHook(config: object, steps: object[]): Promise<string> {
  const { id } = await made<{ id: string }>("/api/workflows", {
    name: "Hooked",
    triggers: [{ id: "hook", type: "webhook", config }],
    steps,
  });
  const response = await server.ask(`/api/workflows/${id}/webhooks`, { as: "owner" });
  return /\/api\/hooks\/[\w-]+/.exec(await response.text())?.[0] ?? "";
}

it("refuses forged, old and oversized calls, and takes a replayed one for the same run", async () => {
  const key = await made<{ id: string }>("/api/keys", {
    provider: "other",
    alias: "QUARTERDECK_KEY_HOOK",
    origin: "https://sender.example.com",
  });
  const path = await createHook({ signatureKey: key.id }, [{ type: "log", config: { message: "x" } }]);
  const now = Math.floor(Date.now() / 1000);
  const call = (body: string, timestamp = now, secret = SECRET) =>
    server.ask(path, {
      body,
      headers: {
        "content-type": "application/json",
        ...signCall({ secret, id: "one", rawBody: Buffer.from(body), now: timestamp * 1000 }),
      },
    });
  const accepted = await call('{"n":1}');
  expect(accepted.status).toBe(202);
  const first = (await accepted.json()) as { runId: string };
  expect(await (await call('{"n":1}')).json()).toEqual({ runId: first.runId, repeated: true });
  expect((await call('{"n":1}', now, "guessed")).status).toBe(401);
  expect((await call('{"n":1}', now - 400)).status).toBe(401);
  expect((await call(`"${"x".repeat(20_000_000)}"`)).status).toBe(413);
  const runs = await server.ask("/api/runs", { as: "owner" });
  expect(await runs.json()).toHaveLength(1);
});

it("answers like the API, and keeps the address out of the log", async () => {
  const path = await createHook({}, [{ type: "log", config: { message: "x" } }]);
  const accepted = await server.ask(`${path}/`, { json: {}, headers: { authorization: "Basic c2VuZGVy" } });
  expect(accepted.status).toBe(202);
  expect(Object.fromEntries(accepted.headers)).toMatchObject({
    "x-request-id": expect.stringMatching(/^req_/),
    "x-content-type-options": "nosniff",
    "content-security-policy": expect.stringContaining("default-src 'none'"),
    "cache-control": "no-store",
    "content-type": "application/json; charset=utf-8",
  });
  const broken = await server.ask(path, { body: "{", headers: { "content-type": "application/json" } });
  expect(broken.status).toBe(400);
  expect(broken.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
  expect(await broken.json()).toMatchObject({
    code: "invalid",
    requestId: broken.headers.get("x-request-id"),
  });
  const wrong = await server.ask(path);
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
  expect((await server.ask(path, { method: "HEAD" })).status).toBe(405);
  const unknown = await server.ask(path, { method: "PROPFIND" });
  expect(unknown.status).toBe(405);
  expect(unknown.headers.get("allow")).toBe("GET, HEAD, POST, PUT, PATCH, DELETE");
  expect((await server.ask(`${path}.data`, { json: {} })).status).toBe(404);
  await expect.poll(() => server.output).toContain("/api/hooks/***");
  expect(server.output).not.toContain(path.split("/").at(-1));
});

it("counts calls by address, each of them once", async () => {
  const path = await createHook({}, [{ type: "log", config: { message: "x" } }]);
  const limit = async (rateLimitEnabled: boolean) =>
    server.ask("/api/settings/advanced", {
      as: "owner",
      method: "PUT",
      json: { performance: { rateLimitEnabled, rateLimit: 10 } },
    });
  await limit(true);
  const call = () => server.ask(path, { json: {} });
  const statuses: number[] = [];
  for (let n = 0; n < 10; n++) statuses.push((await call()).status);
  expect(new Set(statuses)).toEqual(new Set([202]));
  const refused = await call();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ code: "rate_limited" });
  await limit(false);
});

it("answers a question by a signed link without an account, and only when it is posted", async () => {
  const path = await createHook({}, [
    { id: "ask", type: "approval", config: { question: "Publish the <b>report</b>?" } },
  ]);
  const { runId } = (await (await server.ask(path, { json: {} })).json()) as { runId: string };
  const page = async (as: "member" | "viewer") =>
    (await server.ask(`/workflows/runs/${runId}`, { as })).text();
  await expect.poll(() => page("member")).toMatch(/\/approve\//);
  const link = /\/approve\/[\w.-]+/.exec(await page("member"))?.[0] ?? "";
  expect(await page("viewer")).not.toContain("/approve/");
  const response = await server.ask(link);
  expect(response.status).toBe(200);
  const html = await response.text();
  expect(html).toContain("Publish the &lt;b&gt;report&lt;/b&gt;?");
  const state = async () =>
    ((await (await server.ask(`/api/runs/${runId}`, { as: "owner" })).json()) as { state: string }).state;
  expect(await state()).toBe("waiting");
  const answered = await server.ask(link, {
    form: { intent: "refuse" },
    headers: { origin: server.baseUrl },
  });
  expect(answered.status).toBe(303);
  expect(await (await server.ask(link)).text()).toContain("This link no longer works");
  const late = await server.ask(link, { form: { intent: "approve" }, headers: { origin: server.baseUrl } });
  expect(late.status).toBe(409);
  expect(await late.text()).toContain("This link no longer works");
  await expect.poll(state).toBe("succeeded");
});

it("refuses another call with a used Idempotency-Key, and JSON that nests too deep", async () => {
  const path = await createHook({}, [{ type: "log", config: { message: "x" } }]);
  const call = (json: unknown, query = "") =>
    server.ask(`${path}${query}`, { json, headers: { "idempotency-key": "order-1" } });
  const first = (await (await call({ n: 1 })).json()) as { runId: string };
  expect(await (await call({ n: 1 })).json()).toEqual({ runId: first.runId, repeated: true });
  expect((await call({ n: 2 })).status).toBe(409);
  expect((await call({ n: 1 }, "?n=2")).status).toBe(409);
  const deep = `${"[".repeat(65)}${"]".repeat(65)}`;
  const headers = { "content-type": "application/json" };
  expect((await server.ask(path, { body: deep, headers })).status).toBe(400);
});

it("keeps the Idempotency-Keys of a workflow's two addresses apart", async () => {
  const { id } = await made<{ id: string }>("/api/workflows", {
    name: "Two addresses",
    triggers: [
      { id: "one", type: "webhook", config: {} },
      { id: "two", type: "webhook", config: {} },
    ],
    steps: [{ type: "log", config: { message: "x" } }],
  });
  const listed = await (await server.ask(`/api/workflows/${id}/webhooks`, { as: "owner" })).text();
  const paths = [...listed.matchAll(/\/api\/hooks\/[\w-]+/g)].map(([path]) => path);
  const headers = { "idempotency-key": "order-17" };
  const runs = await Promise.all(
    paths.map(
      async (path) => (await (await server.ask(path, { json: {}, headers })).json()) as { runId: string },
    ),
  );
  expect(new Set(runs.map(({ runId }) => runId)).size).toBe(2);
});

it("answers a HEAD without a run, a text as text, and a large value whole", async () => {
  const value = (text: string) => [{ type: "return", config: { value: text } }];
  const path = await createHook(
    { method: "GET", respond: "as plain text" },
    value("{{ trigger.query.token }}"),
  );
  const countRuns = async () =>
    ((await (await server.ask("/api/runs", { as: "owner" })).json()) as unknown[]).length;
  const before = await countRuns();
  const head = await server.ask(path, { method: "HEAD" });
  expect([head.status, await head.text(), await countRuns()]).toEqual([200, "", before]);
  const answered = await server.ask(`${path}?token=a%20%3Cb%3E`);
  expect([answered.status, answered.headers.get("content-type"), await answered.text()]).toEqual([
    200,
    "text/plain; charset=utf-8",
    "a <b>",
  ]);
  const repeated = await server.ask(`${path}?token=1&token=2`);
  expect(await repeated.json()).toEqual(["1", "2"]);
  const nothing = await createHook({ method: "GET", respond: "as plain text" }, [
    { type: "log", config: { message: "x" } },
  ]);
  expect(await (await server.ask(nothing)).text()).toBe("");

  const echo = await createHook({ respond: "with Return Value" }, value("{{ trigger.body }}"));
  const text = "x".repeat(300_000);
  const large = await server.ask(echo, { body: gzipSync(text), headers: { "content-encoding": "gzip" } });
  expect([large.status, await large.json()]).toEqual([200, text]);
  const plain = await createHook({ respond: "as plain text" }, value("{{ trigger.body }}"));
  const said = await server.ask(plain, { body: gzipSync(text), headers: { "content-encoding": "gzip" } });
  expect([said.status, await said.text()]).toEqual([200, text]);
  const form = new FormData();
  form.append("name", "Zoë");
  expect(await (await server.ask(echo, { body: form })).json()).toEqual({ name: "Zoë" });
});
