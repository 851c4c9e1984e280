import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { openTestDatabase } from "../../../tests/support/database";
import { UsageQuery } from "./usage.schema";
import { recordToolCall, recordUsage, type UsageInput } from "./usage.service.server";
import { resolveRange } from "./usage-range.shared";
import { readUsageReport } from "./usage-report.service.server";

const NOON = Date.UTC(2026, 4, 20, 12);

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => {
  setClock();
  test.close();
});
afterAll(closeWorkerPools);

function record(hoursAgo: number, input: Partial<UsageInput> = {}, actor = test.actors.member) {
  setClock(() => NOON - hoursAgo * HOUR);
  const call = {
    providerId: "prv_1",
    providerType: "openai",
    model: "gpt-4o",
    durationMs: 9,
    outcome: "ok",
  } as const;
  transaction((tx) =>
    recordUsage(tx, actor, { ...call, inputTokens: 100, outputTokens: 10, costMicros: 5, ...input }),
  );
  setClock(() => NOON);
}
const read = (query: Partial<UsageQuery> = {}, shown = 0, actor = test.actors.admin) =>
  readUsageReport(actor, UsageQuery.parse(query), shown);

describe("a usage report", () => {
  it("keeps a group's color in every order and range, by first use", async () => {
    record(30, { model: "first" });
    record(29, { model: "second", costMicros: 900 });
    const colorsOf = async (query: Partial<UsageQuery>, actor = test.actors.admin) => {
      const { shown, colors } = await read(query, 5, actor);
      return Object.fromEntries(shown.map((key, at) => [key, colors[at]]));
    };
    expect(await colorsOf({ metric: "spend" })).toEqual({ first: 0, second: 1 });
    record(2, { model: "third", inputTokens: 9000, costMicros: 9000 }, test.actors.owner);
    expect(await colorsOf({ range: "7d" })).toEqual({ first: 0, second: 1, third: 2 });
    expect(await colorsOf({ range: "24h" }), "alone in its range").toEqual({ third: 2 });
    expect(await colorsOf({}, test.actors.member), "who sees less").toEqual({ first: 0, second: 1 });
  });

  it("counts calls without a known price alike by hours and by days", async () => {
    const failed = { outcome: "error", costMicros: null } as const;
    record(1, { ...failed, inputTokens: null, outputTokens: null });
    record(1, failed);
    record(1, { costMicros: null });
    for (const range of ["24h", "7d"] as const)
      expect((await read({ range })).totals, range).toMatchObject({ requests: 3, unpriced: 2 });
  });

  it("sums a range by group and by day, including days without calls", async () => {
    record(1, { firstTokenMs: 200 });
    record(2, { firstTokenMs: 400, outcome: "error" });
    record(30, { model: "other", costMicros: null, inputTokens: 1000 });
    record(24 * 8, { model: "before the range" });
    const report = await read({ range: "7d" }, 1);
    expect(report).toMatchObject({
      scope: "organization",
      unit: "day",
      from: "2026-05-14",
      to: "2026-05-20",
    });
    expect(report.totals).toEqual({
      requests: 3,
      errors: 1,
      inputTokens: 1200,
      outputTokens: 30,
      costMicros: 10,
      unpriced: 1,
      estimated: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      searchUnits: 0,
      images: 0,
      audioSeconds: 0,
      characters: 0,
      firstTokenMs: 300,
    });
    expect(report.groups.map(({ key, requests }) => [key, requests])).toEqual([
      ["other", 1],
      ["gpt-4o", 2],
    ]);
    expect(report.points.map(({ at, requests }) => [at, requests])).toEqual([
      ["2026-05-14", 0],
      ["2026-05-15", 0],
      ["2026-05-16", 0],
      ["2026-05-17", 0],
      ["2026-05-18", 0],
      ["2026-05-19", 1],
      ["2026-05-20", 2],
    ]);
    expect(report.shown).toEqual(["other"]);
    expect(report.parts.map((part) => part.map(({ requests }) => requests)).slice(-2)).toEqual([
      [1, 0],
      [0, 2],
    ]);
  });

  it("shows 24 hours or a single day by hour", async () => {
    record(0);
    record(3);
    record(13);
    record(30);
    const last = await read({ range: "24h" });
    expect(last).toMatchObject({ unit: "hour", totals: { requests: 3 } });
    expect(last.points).toHaveLength(24);
    expect(last.points.filter(({ requests }) => requests > 0).map(({ at }) => at)).toEqual([
      "2026-05-19T23:00:00.000Z",
      "2026-05-20T09:00:00.000Z",
      "2026-05-20T12:00:00.000Z",
    ]);
    const day = await read({ range: "custom", from: "2026-05-19", to: "2026-05-19" });
    expect(await read({ range: "yesterday" })).toEqual(day);
    expect(day).toMatchObject({ unit: "hour", totals: { requests: 2 } });
    expect(day.points).toHaveLength(24);
  });

  it.each(["7d", "24h"] as const)(
    "is narrowed to a group, and counts calls to tools apart, over %s",
    async (range) => {
      record(1);
      record(1, { model: "other" });
      transaction((tx) =>
        recordToolCall(tx, test.actors.member, {
          tool: "web.fetch",
          source: { kind: "chat" },
          durationMs: 5,
          outcome: "error",
          errorCode: "x",
        }),
      );
      expect((await read({ range })).totals).toMatchObject({ requests: 2, errors: 0 });
      expect((await read({ range, model: "other" })).totals).toMatchObject({ requests: 1 });
      expect((await read({ range, by: "tool" })).groups).toMatchObject([
        { key: "web.fetch", label: "web.fetch", requests: 1, errors: 1 },
      ]);
    },
  );

  it("names groups, including removed ones and calls without any", async () => {
    record(1);
    record(1, { providerId: null, personaId: "per_gone" });
    const labels = async (by: UsageQuery["by"]) =>
      (await read({ range: "7d", by })).groups.map(({ label }) => label).sort();
    expect(await labels("person")).toEqual(["member"]);
    expect(await labels("provider")).toEqual(["Built-in model", "Removed provider"]);
    expect(await labels("persona")).toEqual(["No persona", "Removed persona"]);
    expect(await labels("token")).toEqual(["No API token"]);
  });

  it("contains only own calls below admin", async () => {
    record(1);
    record(1, {}, test.actors.admin);
    const own = await read({ range: "7d", by: "person" }, 0, test.actors.member);
    expect(own).toMatchObject({ scope: "own", totals: { requests: 1 } });
    const other = await read({ range: "7d", person: "usr_admin" }, 0, test.actors.member);
    expect(other.totals.requests).toBe(0);
    expect((await read({ range: "7d" })).totals.requests).toBe(2);
  });

  it("sorts by the metric", async () => {
    record(1, { model: "slow", firstTokenMs: 900 });
    record(1, { model: "quick", firstTokenMs: 90, costMicros: 900 });
    record(1, { model: "unmeasured", costMicros: 1, inputTokens: 5000 });
    const order = async (metric: UsageQuery["metric"]) =>
      (await read({ range: "7d", metric })).groups.map(({ key }) => key);
    expect(await order("first-token")).toEqual(["slow", "quick", "unmeasured"]);
    expect(await order("spend")).toEqual(["quick", "slow", "unmeasured"]);
    expect((await order("tokens"))[0]).toBe("unmeasured");
  });
});

describe("a custom range", () => {
  const custom = (from?: string, to?: string) => resolveRange({ range: "custom", from, to }, NOON, "UTC");
  it.each([
    [undefined, undefined, "2026-05-14", "2026-05-20"],
    ["2026-05-03", "2026-05-01", "2026-05-01", "2026-05-03"],
    [undefined, "2026-05-10", "2026-05-04", "2026-05-10"],
    ["2020-01-01", "2026-05-10", "2025-05-10", "2026-05-10"],
  ])("from %s to %s is %s to %s", (from, to, first, last) => {
    expect(custom(from, to)).toMatchObject({ unit: "day", from: first, to: last });
  });

  it("has 23 hours when the clock goes forward, and starts within an hour in some zones", () => {
    const day = (from: string, timeZone: string) =>
      resolveRange({ range: "custom", from, to: from }, NOON, timeZone).buckets.length;
    expect(day("2026-03-29", "Europe/Vienna")).toBe(23);
    expect(day("2026-10-25", "Europe/Vienna")).toBe(25);
    expect(day("2026-05-01", "Asia/Kathmandu")).toBe(25);
  });
});
