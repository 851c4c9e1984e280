import { afterEach, beforeEach, expect, it } from "vitest";
import { transaction } from "~/core/db.server";
import { readUsage } from "~/team/usage/usage.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { recordCall } from "./pricing.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

const call = {
  providerId: "prv_1",
  providerType: "openai",
  model: "gpt-4o",
  inputTokens: 1000,
  outputTokens: 100,
  durationMs: 900,
  outcome: "ok",
} as const;

it.each([
  ["prices a call by the list", call, { inputTokens: 1000, costMicros: 3500 }],
  [
    "prices cached tokens by the list and keeps the total count",
    { ...call, cacheReadTokens: 800 },
    { inputTokens: 1000, costMicros: 2500 },
  ],
  [
    "knows no price without counts",
    { ...call, inputTokens: Number.NaN, outputTokens: -3 },
    { inputTokens: null, costMicros: null },
  ],
])("%s", (_, input, expected) => {
  const id = transaction((tx) => recordCall(tx, test.actors.member, input));
  expect(readUsage(test.actors.viewer, [id]).get(id)).toMatchObject(expected);
});
