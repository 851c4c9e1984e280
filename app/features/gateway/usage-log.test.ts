import { expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { openTestDatabase } from "../../../tests/support/database";
import { flushUsageLog, queueUsage } from "./usage-log.server";

it("records a call's usage once the database takes it", async () => {
  const test = openTestDatabase();
  const raw = rawDatabase();
  raw.exec("CREATE TRIGGER full BEFORE INSERT ON usage_records BEGIN SELECT RAISE(ABORT, 'full'); END");
  queueUsage(test.actors.member, {
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
  });
  await flushUsageLog();
  raw.exec("DROP TRIGGER full");
  await flushUsageLog();
  expect(raw.prepare("SELECT model, input_tokens FROM usage_records").all()).toEqual([
    { model: "alpha", input_tokens: 3 },
  ]);
  test.close();
});
