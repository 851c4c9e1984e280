import { afterEach, beforeEach, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { openTestDatabase } from "../../../tests/support/database";
import { flushUsageLog, queueUsage } from "./usage-log.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

const usage = {
  conversationId: null,
  messageId: null,
  providerId: null,
  providerType: "custom",
  model: "alpha",
  source: "gateway",
  inputTokens: 3,
  outputTokens: 4,
  costMicros: null,
  firstTokenMs: null,
  durationMs: null,
  outcome: "ok",
  errorCode: null,
} as const;

it.each([
  ["records a call's usage once the disk isn't full any more", "SQLITE_FULL", [{ model: "alpha" }]],
  ["doesn't repeat what fails by itself", "SQLITE_CONSTRAINT", []],
])("%s", async (_, code, recorded) => {
  const raw = rawDatabase();
  raw.function("refuse", () => {
    throw Object.assign(new Error("refused"), { code });
  });
  raw.exec("CREATE TRIGGER refused BEFORE INSERT ON usage_records BEGIN SELECT refuse(); END");
  queueUsage(test.actors.member, usage);
  await flushUsageLog();
  raw.exec("DROP TRIGGER refused");
  await flushUsageLog();
  expect(raw.prepare("SELECT model FROM usage_records").all()).toEqual(recorded);
});
