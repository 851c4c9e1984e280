import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ModelPatch } from "~/ai/models/model-settings.schema";
import { saveModel } from "~/ai/models/model-settings.service.server";
import { insertProviderRow } from "~/ai/models/models.repo.server";
import { healthOf } from "~/ai/models/router/health.server";
import { transaction } from "~/core/db.server";
import { addKey } from "~/team/keys/keys.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import { countMessageTokens } from "./count-tokens.server";

let test: ReturnType<typeof openTestDatabase>;
let upstream: MockServer;
let answer: [status: number, body: object];

beforeEach(async () => {
  test = openTestDatabase();
  answer = [200, { input_tokens: 42 }];
  upstream = await startMockServer((_, response) => {
    response.writeHead(answer[0], { "content-type": "application/json" }).end(JSON.stringify(answer[1]));
  });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await upstream.close();
  test.close();
});

function addProvider(id: string, type: string, model: string): void {
  const { orgId } = test.actors.admin;
  const config = { baseUrl: upstream.origin };
  const at = { modelsAt: null, priority: 0, createdAt: 1, updatedAt: 1 };
  const row = { id, orgId, type, displayName: id, enabled: true, config, models: [{ id: model }] };
  transaction((tx) => insertProviderRow(tx, { ...row, ...at }));
}

async function count(model: string) {
  const { content } = await countMessageTokens({
    actor: test.actors.owner,
    requestId: "req_1",
    headers: new Headers(),
    signal: new AbortController().signal,
    raw: async () => Buffer.from(JSON.stringify({ model, messages: [{ role: "user", content: "Hello." }] })),
  });
  if (content.kind !== "json") throw new Error(`JSON, not ${content.kind}`);
  return [content.value, content.headers];
}

const ESTIMATED = [{ input_tokens: 2 }, { "x-gateway-count": "estimated" }];

it("estimates without a provider: neither its pause nor its health matters", async () => {
  addProvider("prv_count_paused", "custom", "m");
  await count("m");
  const health = healthOf("prv_count_paused");
  for (let failures = 0; failures < 5; failures++) health.fail("Down.", "unhealthy");
  expect(await count("m")).toEqual(ESTIMATED);
  expect([health.currentPause()?.reason, health.lastSuccessAt]).toEqual(["breaker open", undefined]);
  expect(await count("quarterdeck-offline")).toEqual(ESTIMATED);
});

it("asks no fallback model, which counts differently", async () => {
  addProvider("prv_count_custom", "custom", "m");
  addProvider("prv_count_claude", "anthropic", "c");
  saveModel(test.actors.admin, "m", ModelPatch.parse({ routing: { fallbacks: ["c"], targets: [] } }));
  expect(await count("m")).toEqual(ESTIMATED);
  expect(upstream.requests).toEqual([]);
});

it("explains a model that no provider offers", async () => {
  await expect(count("none")).rejects.toMatchObject({ code: "provider_model" });
});

it("takes a provider's count, and estimates where its address is unknown there", async () => {
  vi.stubEnv("QUARTERDECK_KEY_COUNT", "value-of-the-key");
  const alias = "QUARTERDECK_KEY_COUNT";
  addKey(test.actors.owner, { provider: "anthropic", alias, origin: upstream.origin });
  addProvider("prv_count_claude", "anthropic", "c");
  expect(await count("c")).toEqual([{ input_tokens: 42 }, undefined]);
  answer = [404, { error: { type: "not_found", message: "Not found" } }];
  expect(await count("c")).toEqual(ESTIMATED);
  const error = { type: "not_found_error", message: "model: c" };
  answer = [404, { type: "error", error }];
  await expect(count("c")).rejects.toMatchObject({ message: expect.stringContaining("model: c") });
});
