import { afterEach, beforeEach, expect, it } from "vitest";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import type { ProviderConfig } from "./models.schema";
import { entryOf, silenceOf } from "./provider-entry.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

function silence(baseUrl: string, config: ProviderConfig = {}) {
  const entry = entryOf({
    id: "prv_1",
    orgId: test.actors.admin.orgId,
    type: "custom",
    displayName: "Lab",
    enabled: true,
    config: { ...config, baseUrl },
    models: [],
    modelsAt: null,
    priority: 0,
    createdAt: 1,
    updatedAt: 1,
  });
  return entry && silenceOf(entry);
}

it.each([
  ["https://api.example.com/v1", 30_000],
  ["https://93.184.216.34/v1", 30_000],
  ["http://localhost:8000/v1", 300_000],
  ["http://127.0.0.1:8000/v1", 300_000],
  ["http://[::1]:8000/v1", 300_000],
  ["http://192.168.1.20:8000/v1", 300_000],
  ["http://vllm:8000/v1", 300_000],
  ["http://gpu.lan/v1", 300_000],
])("waits for the first byte of %s for %d ms, and 30 s within an answer", (url, firstByteMs) => {
  expect(silence(url)).toEqual({ firstByteMs, betweenBytesMs: 30_000 });
});

it("follows the setting, and a provider's own times before it", () => {
  updateSettings(test.actors.admin, "ai", { timeout: 1000 });
  expect(silence("http://localhost/v1")).toEqual({ firstByteMs: 10_000, betweenBytesMs: 1000 });
  expect(silence("http://localhost/v1", { firstByteTimeout: 5000, silenceTimeout: 200 })).toEqual({
    firstByteMs: 5000,
    betweenBytesMs: 200,
  });
});
