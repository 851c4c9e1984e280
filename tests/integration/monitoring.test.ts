import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

it("serves metrics to a token with their scope, and says so while they are off", async () => {
  const token = await server.createToken("owner", ["metrics.read"]);
  const other = await server.createToken("owner", ["personas.write"]);
  const read = async (secret = token) => {
    const response = await server.ask("/metrics", { token: secret });
    return { status: response.status, text: await response.text() };
  };
  expect((await read(other)).status).toBe(403);
  expect((await read()).status).toBe(200);
  await (await server.ask("/api/personas/per_none", { as: "owner" })).text();
  await (await server.ask("/settings/system", { as: "owner" })).text();
  const { text } = await read();
  const count = (method: string, route: string, status: number) =>
    `quarterdeck_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"} 1`;
  expect(text).toContain(count("GET", "/api/personas/{id}", 404));
  expect(text).toContain(count("GET", "/settings/system", 200));
  expect(text).not.toContain("per_none");
  expect(text).toMatch(/^quarterdeck_jobs\{kind="/m);

  await server.ask("/api/settings/advanced", {
    as: "owner",
    method: "PUT",
    json: { monitoring: { enableMetrics: false } },
  });
  const off = await read();
  expect(off.status).toBe(404);
  expect(off.text).toContain("Metrics are off");
});

it("answers probes", async () => {
  expect(await (await server.ask("/healthz")).json()).toEqual({ status: "ok" });
  const ready = await server.ask("/readyz");
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { ready: true, checks: { database: "ok", disk: "ok", queues: "ok", schedules: "ok" } },
  ]);
});
