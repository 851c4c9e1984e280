import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setClock } from "~/core/clock.server";
import { db, groupedTransaction, rawDatabase, transaction } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { dayIn } from "~/core/time-zone";
import { orgTimeZone } from "~/platform/settings/settings.service.server";
import { updateOrganisation } from "~/team/organization/organization.service.server";
import { usageDays, usageRecords } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../tests/support/database";
import {
  moveToTimeZone,
  readProviderToday,
  recordToolCall,
  recordUsage,
  sumOldUsage,
  type UsageInput,
} from "./usage.service.server";

const START = Date.parse("2026-03-27T06:00:00Z");
const never = () => new AbortController().signal;

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => {
  setClock();
  test.close();
});

const call = (change: Partial<UsageInput> = {}): UsageInput => ({
  providerId: "prv_1",
  providerType: "openai",
  model: "gpt-4o",
  inputTokens: 100,
  outputTokens: 10,
  firstTokenMs: 200,
  durationMs: 900,
  outcome: "ok",
  costMicros: 5,
  ...change,
});

/** The n-th of many different calls, at its own time over eight days. */
function record(n: number): void {
  setClock(() => START + n * 2 * HOUR);
  const actor = n % 3 === 0 ? test.actors.admin : test.actors.member;
  const source = (["chat", "gateway", "comparison", "knowledge"] as const)[n % 4] ?? "chat";
  transaction((tx) => {
    if (n % 7 === 0) {
      const outcome = n % 2 === 0 ? ("ok" as const) : ("error" as const);
      const target = { kind: source, conversationId: "con_1", workflowId: n % 14 === 0 ? "wf_1" : null };
      recordToolCall(tx, actor, {
        tool: n % 5 === 0 ? "kv.set" : "web.fetch",
        source: target,
        durationMs: 5,
        outcome,
        errorCode: null,
      });
      return;
    }
    recordUsage(
      tx,
      n % 9 === 0 ? { ...actor, tokenId: "tok_1" } : actor,
      call({
        source,
        providerId: n % 5 === 0 ? null : `prv_${n % 2}`,
        model: n % 2 === 0 ? "gpt-4o" : "claude",
        inputTokens: n % 11 === 0 ? null : n,
        estimated: n % 7 === 0,
        cacheReadTokens: n % 3 === 0 ? n : null,
        searchUnits: n % 10 === 0 ? 2 : null,
        images: n % 15 === 0 ? 3 : null,
        audioSeconds: n % 13 === 0 ? 60 : null,
        characters: n % 14 === 0 ? 300 : null,
        cacheWriteTokens: n % 5 === 0 ? 1 : undefined,
        costMicros: n % 6 === 0 ? null : n * 10,
        firstTokenMs: n % 4 === 0 ? null : n,
        outcome: (["ok", "error", "stopped", "interrupted"] as const)[n % 4] ?? "ok",
        personaId: n % 8 === 0 ? "per_1" : null,
      }),
    );
  });
}

/** The daily sums as the rows give them. */
function sumsOfRows() {
  const sums = new Map<string, Record<string, unknown> & { requests: number }>();
  for (const row of db().select().from(usageRecords).all()) {
    const key = {
      orgId: row.orgId,
      day: dayIn(row.createdAt, orgTimeZone(ORG_ID)),
      source: row.source,
      model: row.model,
      providerId: row.providerId ?? "",
      userId: row.userId,
      personaId: row.personaId ?? "",
      workflowId: row.workflowId ?? "",
      tokenId: row.tokenId ?? "",
      tool: row.tool ?? "",
    };
    const figures = {
      requests: 1,
      errors: Number(row.outcome === "error"),
      inputTokens: row.inputTokens ?? 0,
      outputTokens: row.outputTokens ?? 0,
      costMicros: row.costMicros ?? 0,
      unpriced: Number(row.costMicros === null),
      firstTokenMs: row.firstTokenMs ?? 0,
      firstTokens: Number(row.firstTokenMs !== null),
      estimated: Number(row.estimated),
      cacheReadTokens: row.cacheReadTokens ?? 0,
      cacheWriteTokens: row.cacheWriteTokens ?? 0,
      searchUnits: row.searchUnits ?? 0,
      images: row.images ?? 0,
      audioSeconds: row.audioSeconds ?? 0,
      characters: row.characters ?? 0,
    };
    const before = sums.get(JSON.stringify(key));
    const added = Object.entries(figures).map(([name, value]) => [name, Number(before?.[name] ?? 0) + value]);
    sums.set(JSON.stringify(key), { ...key, ...Object.fromEntries(added) });
  }
  return [...sums.values()];
}
const byKey = (rows: readonly unknown[]) =>
  rows.map((row) => JSON.stringify(row, Object.keys(row as object).sort())).sort();
const storedSums = () => db().select().from(usageDays).all();
const assertEqual = () => expect(byKey(storedSums())).toEqual(byKey(sumsOfRows()));

describe("the daily sums", () => {
  it("equal the sums of the rows after a mixed load", () => {
    for (let n = 1; n <= 100; n++) record(n);
    assertEqual();
    expect(new Set(storedSums().map(({ day }) => day)).size).toBeGreaterThanOrEqual(8);
    expect(storedSums().some(({ requests }) => requests > 1)).toBe(true);
  });

  it("call a failed call unpriced only once it had tokens", () => {
    const failed = { outcome: "error", costMicros: null } as const;
    transaction((tx) => {
      recordUsage(tx, test.actors.member, call({ ...failed, inputTokens: null, outputTokens: null }));
      recordUsage(tx, test.actors.member, call(failed));
      recordUsage(tx, test.actors.member, call({ costMicros: null }));
    });
    expect(storedSums()).toMatchObject([{ requests: 3, errors: 2, unpriced: 2 }]);
  });

  it("share a commit with their row", async () => {
    record(1);
    rawDatabase().exec(
      "CREATE TRIGGER fault BEFORE INSERT ON usage_days WHEN new.model = 'faulty' BEGIN SELECT RAISE(ABORT, 'fault'); END",
    );
    const add = (model: string) =>
      groupedTransaction((tx) => recordUsage(tx, test.actors.member, call({ model })));
    const results = await Promise.allSettled([add("a"), add("faulty"), add("b")]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(() =>
      transaction((tx) => {
        recordUsage(tx, test.actors.member, call({ model: "c" }));
        throw new Error("the answer could not be stored");
      }),
    ).toThrow("could not be stored");
    const models = db().select({ model: usageRecords.model }).from(usageRecords).all();
    expect(models.map(({ model }) => model)).toEqual(["claude", "a", "b"]);
    assertEqual();
  });

  it("count earlier rows once, also after repeated interruptions", async () => {
    for (let n = 1; n <= 60; n++) record(n);
    // As a program before the sums left them.
    rawDatabase().exec("UPDATE usage_records SET day = NULL; DELETE FROM usage_days");
    record(61);
    for (let cut = 0; cut < 5; cut++) {
      const stop = new AbortController();
      rawDatabase().function(`stop_${cut}`, () => stop.abort());
      rawDatabase().exec(
        `CREATE TEMP TRIGGER cut_${cut} AFTER UPDATE OF day ON usage_records BEGIN SELECT stop_${cut}(); END`,
      );
      await sumOldUsage(stop.signal).catch(() => undefined);
      rawDatabase().exec(`DROP TRIGGER cut_${cut}`);
    }
    await Promise.all([sumOldUsage(never()), sumOldUsage(never())]);
    assertEqual();
    expect(await sumOldUsage(never())).toBe(0);
  });

  it("follow a change of the time zone, also after an interruption", async () => {
    for (let n = 1; n <= 60; n++) record(n);
    const before = storedSums();
    expect(await moveToTimeZone(never())).toBe(0);
    updateOrganisation(test.actors.owner, { timeZone: "Pacific/Kiritimati" });
    record(61);
    const stop = new AbortController();
    rawDatabase().function("stop", () => stop.abort());
    rawDatabase().exec(
      "CREATE TEMP TRIGGER cut AFTER UPDATE OF day ON usage_records BEGIN SELECT stop(); END",
    );
    // A quick machine has moved all rows before it looks at the signal.
    await moveToTimeZone(stop.signal).catch(() => undefined);
    rawDatabase().exec("DROP TRIGGER cut");
    await moveToTimeZone(never());
    assertEqual();
    expect(byKey(storedSums())).not.toEqual(byKey(before));
    expect(await moveToTimeZone(never())).toBe(0);
  });

  it("move with statements that are prepared once, not for each row", async () => {
    for (let n = 1; n <= 60; n++) record(n);
    updateOrganisation(test.actors.owner, { timeZone: "Pacific/Kiritimati" });
    const prepare = vi.spyOn(rawDatabase(), "prepare");
    expect(await moveToTimeZone(never())).toBeGreaterThan(10);
    const writes = prepare.mock.calls
      .map(([sql]) => /^(update|delete from) "(usage_\w+)"/.exec(sql)?.[0])
      .filter((start) => start !== undefined);
    prepare.mockRestore();
    expect(writes.sort()).toEqual(['delete from "usage_days"', 'update "usage_records"']);
  });

  it("include a provider's calls and cost of today, or an unknown cost", () => {
    setClock(() => START);
    const today = () => readProviderToday(test.actors.viewer, "prv_1");
    expect(today()).toBeUndefined();
    transaction((tx) => recordUsage(tx, test.actors.member, call({ costMicros: null })));
    expect(today()).toEqual({ calls: 1, costMicros: null });
    transaction((tx) => recordUsage(tx, test.actors.admin, call({ model: "other", costMicros: 7 })));
    expect(today()).toEqual({ calls: 2, costMicros: 7 });
    expect(readProviderToday({ orgId: "org_other" }, "prv_1")).toBeUndefined();
    setClock(() => START + 24 * HOUR);
    expect(today()).toBeUndefined();
  });
});
