import { afterEach, beforeEach, expect, it } from "vitest";
import { ModelPatch } from "~/ai/models/model-settings.schema";
import { saveModel } from "~/ai/models/model-settings.service.server";
import { insertProviderRow } from "~/ai/models/models.repo.server";
import { healthOf } from "~/ai/models/router/health.server";
import { transaction } from "~/core/db.server";
import { openTestDatabase } from "../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import { countMessageTokens } from "./count-tokens.server";

let test: ReturnType<typeof openTestDatabase>;
let upstream: MockServer;

beforeEach(async () => {
  test = openTestDatabase();
  upstream = await startMockServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ input_tokens: 42 }));
  });
});
afterEach(async () => {
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
