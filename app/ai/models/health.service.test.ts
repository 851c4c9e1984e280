import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { NotificationQuery } from "~/team/notifications/notifications.schema";
import { pageNotifications } from "~/team/notifications/notifications.service.server";
import { recordUsage, type UsageInput } from "~/team/usage/usage.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import { listProviderStatus, probeProviders, reportIncidents, restoreHealth } from "./health.service.server";
import { CustomModelInput } from "./model-settings.schema";
import { addCustomModel } from "./model-settings.service.server";
import { deleteProviderRow, insertProviderRow, updateProviderRow } from "./models.repo.server";
import { healthOf } from "./router/health.server";

const AT = Date.parse("2027-03-01T12:00:00Z");
let order = 0;

describe("provider health", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let upstream: MockServer;
  let answers: number;
  let id: string;
  let time: number;
  beforeEach(async () => {
    test = openTestDatabase();
    answers = 200;
    time = AT;
    setClock(() => time);
    upstream = await startMockServer((_, response) => {
      response.writeHead(answers, { "content-type": "application/json" }).end(JSON.stringify({ data: [] }));
    });
    id = `prv_health_${++order}`;
    transaction((tx) =>
      insertProviderRow(tx, {
        id,
        orgId: test.actors.admin.orgId,
        type: "custom",
        displayName: "Lab",
        enabled: true,
        config: { baseUrl: `${upstream.origin}/v1` },
        models: ["m", "n"],
        modelsAt: null,
        priority: 0,
        createdAt: 1,
        updatedAt: 1,
      }),
    );
  });
  afterEach(async () => {
    setClock();
    await upstream.close();
    test.close();
  });
  const status = () => listProviderStatus(test.actors.viewer)[0];
  const call = (change: Partial<UsageInput>) =>
    transaction((tx) =>
      recordUsage(tx, test.actors.member, {
        providerId: id,
        providerType: "custom",
        model: "m",
        costMicros: null,
        durationMs: 900,
        outcome: "ok",
        ...change,
      }),
    );

  it("reports unknown before the first call and probe, and counts only its own models", () => {
    addCustomModel(test.actors.admin, CustomModelInput.parse({ id: "of-all", name: "Of all" }));
    expect(status()).toMatchObject({
      name: "Lab",
      models: "2 models",
      status: "unknown",
      latency: "—",
      usage: "—",
      errorRate: null,
      lastFailure: null,
    });
  });

  it("probes a provider at intervals, but not while calls show its health", async () => {
    await probeProviders();
    expect(status()).toMatchObject({ status: "online", probeMs: expect.any(Number), calls: 0 });
    await probeProviders();
    expect(upstream.requests).toHaveLength(1);
    expect(upstream.requests[0]).toMatchObject({ method: "GET", url: "/v1/models" });
    time += 5 * 60_000;
    healthOf(id).succeed();
    await probeProviders();
    expect(upstream.requests).toHaveLength(1);
  });

  it("reports a provider as offline with a reason after a failed probe, and probes it again", async () => {
    answers = 500;
    await probeProviders();
    expect(status()).toMatchObject({
      status: "offline",
      reason: expect.stringContaining("Lab"),
      lastFailure: { message: expect.stringContaining("Lab") },
    });
    answers = 200;
    time += 60_000;
    await probeProviders();
    expect(status()).toMatchObject({ status: "online" });
  });

  it("takes a provider without a list for available if it has rerankers alone", async () => {
    answers = 404;
    const statusWith = async (...models: string[]) => {
      const config = { baseUrl: `${upstream.origin}/v1`, models };
      transaction((tx) => updateProviderRow(tx, test.actors.admin.orgId, id, { config, updatedAt: time }));
      time += 10 * 60_000;
      await probeProviders();
      return status()?.status;
    };
    expect(await statusWith()).toBe("offline");
    expect(await statusWith("bge-reranker", "our-llm")).toBe("offline");
    expect(await statusWith("bge-reranker")).toBe("online");
  });

  it("doesn't probe if health checks are off", async () => {
    updateSettings(test.actors.admin, "monitoring", { healthChecks: false });
    await probeProviders();
    expect(upstream.requests).toHaveLength(0);
  });

  it("warns about occasional failures with measured figures", () => {
    for (let n = 0; n < 4; n++) healthOf(id).succeed();
    healthOf(id).measure("m", 123.4);
    expect(status()).toMatchObject({ status: "online", latency: "123 ms", errorRate: 0 });
    time += 1;
    healthOf(id).fail("Lab has trouble.", "unhealthy");
    expect(status()).toMatchObject({
      status: "warning",
      reason: "Lab has trouble.",
      calls: 5,
      errorRate: 0.2,
    });
    for (let n = 0; n < 5; n++) healthOf(id).fail("Lab has trouble.", "unhealthy");
    expect(status()).toMatchObject({ status: "offline", pausedUntil: expect.any(String) });
  });

  it("says why a provider is off that was never called", () => {
    const change = (values: Parameters<typeof updateProviderRow>[3]) =>
      transaction((tx) => updateProviderRow(tx, test.actors.admin.orgId, id, { ...values, updatedAt: time }));
    change({ type: "openai" });
    expect(status()).toMatchObject({
      status: "offline",
      reason: expect.stringContaining("Lab has no API key"),
    });
    change({ enabled: false });
    expect(status()).toMatchObject({ status: "offline", reason: "It is disabled." });
  });

  it("counts the day's calls and cost", () => {
    call({ costMicros: 1_250_000 });
    expect(status()).toMatchObject({ usage: "1 call today, $1.25" });
    call({ costMicros: null });
    expect(status()).toMatchObject({ usage: "2 calls today, $1.25" });
    time += 24 * 60 * 60_000;
    expect(status()).toMatchObject({ usage: "—" });
  });

  it("keeps the last hour's calls across a restart", () => {
    call({ firstTokenMs: 250 });
    time += 1000;
    call({ outcome: "error", firstTokenMs: null });
    time += 1000;
    restoreHealth();
    expect(status()).toMatchObject({ latency: "250 ms", lastFailure: { at: "2027-03-01T12:00:01.000Z" } });
  });

  it("judges a failure after a restart as before it", () => {
    call({ outcome: "error", errorCode: "invalid" });
    call({ outcome: "error", errorCode: "provider_rejected" });
    restoreHealth();
    expect(status()).toMatchObject({ status: "unknown" });
    call({ outcome: "error", errorCode: "too_large" });
    restoreHealth();
    expect(status()).toMatchObject({ status: "offline" });
  });

  it("reports an incident after two failed checks, once, and when it is over", () => {
    const check = () => {
      time += 60_000;
      reportIncidents();
      const { notifications } = pageNotifications(test.actors.admin, NotificationQuery.parse({}));
      return notifications.map(({ title, body }) => `${title}: ${body}`);
    };
    const health = healthOf(id);
    expect(check()).toEqual([]);
    health.failProbe("Lab refused the connection.");
    expect(check()).toEqual([]);
    const down = "Lab is down: Lab refused the connection.";
    expect(check()).toEqual([down]);
    expect(check()).toEqual([down]);
    time += 60_000;
    health.succeedProbe(20);
    expect(check()).toEqual(["Lab recovered: It was down for 3 min.", down]);
    expect(check()).toHaveLength(2);
  });

  it("forgets a deleted provider", () => {
    transaction((tx) => deleteProviderRow(tx, test.actors.admin.orgId, id));
    expect(listProviderStatus(test.actors.viewer)).toEqual([]);
  });
});
