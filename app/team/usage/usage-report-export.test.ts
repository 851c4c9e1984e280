import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { openTestDatabase } from "../../../tests/support/database";
import { UsageQuery } from "./usage.schema";
import { recordUsage } from "./usage.service.server";
import { exportUsage } from "./usage-report.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => {
  setClock();
  test.close();
});
afterAll(closeWorkerPools);

function record(model: string) {
  const call = { providerId: null, providerType: "openai", durationMs: 9, outcome: "ok" } as const;
  transaction((tx) =>
    recordUsage(tx, test.actors.member, {
      ...call,
      model,
      inputTokens: 100,
      outputTokens: 10,
      costMicros: 1500,
    }),
  );
}

it("has a row per group and day, without formulas", async () => {
  const start = Date.UTC(2026, 4, 1, 12);
  for (let day = 0; day < 20; day++) {
    setClock(() => start + day * DAY);
    record(day % 2 === 0 ? "gpt-4o" : "=cmd()");
  }
  const query = UsageQuery.parse({ range: "30d" });
  const { name, pieces } = exportUsage(test.actors.member, query);
  expect(name).toBe("usage-model-2026-04-21-2026-05-20.csv");
  let text = "";
  for await (const piece of pieces) text += piece;
  const rows = text.trimEnd().split("\r\n");
  expect(rows[0]).toBe(
    '\uFEFF"day","model","model_id","requests","errors","input_tokens","output_tokens","cost_usd","requests_without_price","first_token_ms","requests_estimated","cache_read_tokens","cache_write_tokens","search_units","images","audio_seconds","characters"',
  );
  expect(rows).toHaveLength(21);
  expect(rows[1]).toBe(
    '"2026-05-01","gpt-4o","gpt-4o","1","0","100","10","0.001500","0","","0","0","0","0","0","0","0"',
  );
  expect(rows[2]).toContain(`"'=cmd()"`);
  expect(rows.at(-1)).toContain('"2026-05-20"');
});
