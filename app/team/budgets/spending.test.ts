import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newRouteRecord, type RouteTarget, routeCall } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { setClock } from "~/core/clock.server";
import { rawDatabase, transaction, writeCount } from "~/core/db.server";
import { withoutPurpose, withPurpose } from "~/core/purpose.server";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { createGroup, removeFromGroup } from "~/team/members/groups.service.server";
import { updateOrganisation } from "~/team/organization/organization.service.server";
import { PersonaInput } from "~/work/personas/personas.schema";
import { createPersona } from "~/work/personas/personas.service.server";
import { WorkflowInput } from "~/work/workflows/workflows.schema";
import { createWorkflow } from "~/work/workflows/workflows.service.server";
import { modelSettings, providers } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { recordUsage } from "../usage/usage.service.server";
import { prunePeriods } from "./budgets.jobs.server";
import type { BudgetInput } from "./budgets.schema";
import {
  createBudget,
  grantException,
  listBudgets,
  listBudgetWarnings,
  updateBudget,
} from "./budgets.service.server";
import { noteSpent, reserve, settle, settleLost } from "./ledger.service.server";

let test: ReturnType<typeof openTestDatabase>;
let member: Actor;
let admin: Actor;

/** Dollars per 1,000 tokens. */
const PRICES: Record<string, number> = { dear: 1, cheap: 0.1, free: 0 };

beforeEach(() => {
  test = openTestDatabase();
  ({ member, admin } = test.actors);
  const at = { createdAt: 1, updatedAt: 1 };
  transaction((tx) => {
    for (const [index, id] of ["first", "second"].entries()) {
      const config = { baseUrl: `http://${id}.example/v1` };
      const models = id === "first" ? ["dear", "free", "odd"] : ["dear", "cheap"];
      tx.insert(providers)
        .values({
          id,
          orgId: member.orgId,
          type: "custom",
          displayName: id,
          enabled: true,
          priority: index,
          config,
          models,
          ...at,
        })
        .run();
    }
    for (const [modelId, cost] of Object.entries(PRICES)) {
      const routing = modelId === "dear" ? { fallbacks: ["cheap"] } : null;
      tx.insert(modelSettings)
        .values({ orgId: member.orgId, modelId, inputCost: cost, outputCost: cost, routing, ...at })
        .run();
    }
  });
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  setClock();
  test.close();
});

const budget = (more: Partial<BudgetInput> = {}) =>
  createBudget(admin, {
    target: "organisation",
    unit: "money",
    period: "day",
    limit: 10,
    warnAt: 80,
    unpriced: "allow",
    ...more,
  });
const size = () => ({ input: 500, output: 500 });
const call = (model: string, attempt: (target: RouteTarget) => Promise<unknown>, more: object = {}) =>
  routeCall({ actor: member, model, size, ...more }, newRouteRecord(), attempt);
/** A call of so many tokens in and out together. */
async function spend(model: string, tokens: number, more: object = {}): Promise<void> {
  const { end } = await call(model, async () => "", more);
  end({ outcome: "ok", tokens: { input: tokens, output: 0 } });
}
const figures = () => listBudgets(admin).map(({ spent, reserved }) => ({ spent, reserved }));
const usedUp = expect.objectContaining({ code: "budget_exceeded" });

describe("a budget", () => {
  it("runs no statement if none applies", async () => {
    budget({ target: "person:usr_viewer" });
    await spend("dear", 1);
    const before = writeCount();
    const prepare = vi.spyOn(rawDatabase(), "prepare");
    const sizeOf = vi.fn(size);
    await call("dear", async () => "", { size: sizeOf }).then(({ end }) => end({ outcome: "ok" }));
    expect([writeCount(), prepare.mock.calls, sizeOf.mock.calls]).toEqual([before, [], []]);
  });

  it("prepares its statements once, not for each call and each note of what it has cost", () => {
    budget({ limit: 100 });
    const spender = { orgId: member.orgId, userId: member.userId };
    const cost = { costMicros: 1, tokens: 1 };
    const callOnce = () => {
      const reservation = reserve(spender, () => ({ begun: cost, whole: cost }));
      if (reservation) noteSpent(reservation, () => cost);
      settle(spender, reservation, () => cost);
    };
    callOnce();
    const prepare = vi.spyOn(rawDatabase(), "prepare");
    callOnce();
    expect(prepare.mock.calls).toEqual([]);
    prepare.mockRestore();
  });

  it("reserves the estimated cost, then books the actual one", async () => {
    budget();
    const { end } = await call("dear", async () => "");
    expect(figures()).toEqual([{ spent: 0, reserved: 1 }]);
    end({ outcome: "ok", tokens: { input: 200, output: 50 } });
    end({ outcome: "ok", tokens: { input: 200, output: 50 } });
    expect(figures()).toEqual([{ spent: 0.25, reserved: 0 }]);
  });

  it("is exceeded by at most one call's estimate under 200 concurrent calls", async () => {
    budget({ limit: 10.5 });
    budget({ unit: "tokens", limit: 1_000_000 });
    const calls = await Promise.allSettled(Array.from({ length: 200 }, () => call("dear", async () => "")));
    const admitted = calls.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const refused = calls.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
    expect([admitted.length, new Set(refused)]).toEqual([11, new Set(["rate_limited"])]);
    expect(figures()).toEqual([
      { spent: 0, reserved: 11 },
      { spent: 0, reserved: 11_000 },
    ]);
    for (const { end } of admitted) end({ outcome: "ok", tokens: { input: 1000, output: 0 } });
    expect(figures()).toEqual([
      { spent: 11, reserved: 0 },
      { spent: 11_000, reserved: 0 },
    ]);
    await expect(spend("dear", 1)).rejects.toEqual(usedUp);
  });

  it("replaces a failed attempt's reservation at the next provider's price", async () => {
    budget();
    const tried: unknown[] = [];
    const { end, target } = await call("dear", async ({ displayName, modelId }) => {
      tried.push([displayName, modelId, ...figures()]);
      if (modelId === "dear") throw new Error("broken");
    });
    expect(tried).toEqual([
      ["first", "dear", { spent: 0, reserved: 1 }],
      ["second", "dear", { spent: 0, reserved: 1 }],
      ["second", "cheap", { spent: 0, reserved: 0.1 }],
    ]);
    end({ outcome: "ok", tokens: { input: 100, output: 0 } });
    expect([target.modelId, figures()]).toEqual(["cheap", [{ spent: 0.01, reserved: 0 }]]);
  });

  it("rejects a call without a fallback but allows free models", async () => {
    budget({ limit: 0.5 });
    await spend("dear", 500);
    const attempt = vi.fn(async () => "");
    await expect(call("dear", attempt)).rejects.toThrow(
      /^The daily budget of the organization is used up\. It resets on \w+ \d+\. An admin can raise it/,
    );
    expect(attempt).not.toHaveBeenCalled();
    await spend("free", 100);
    await spend(OFFLINE_MODEL, 100);
    expect(figures()).toEqual([{ spent: 0.5, reserved: 0 }]);
  });

  it("counts unknown prices as zero or rejects them, and estimates unknown tokens", async () => {
    const { id } = budget({ limit: 5 });
    await spend("odd", 100);
    expect(listBudgets(admin)).toMatchObject([{ spent: 0, unpricedCalls: 1 }]);
    updateBudget(admin, id, { unpriced: "refuse" });
    await expect(spend("odd", 1)).rejects.toThrow(/refuses models whose price isn't known/);
    const stopped = await call("dear", async () => "");
    stopped.end({ outcome: "stopped", estimatedOutput: 20 });
    expect(figures()).toEqual([{ spent: 0.52, reserved: 0 }]);
    const silent = await call("dear", async () => "");
    silent.end({ outcome: "ok" });
    expect(figures()).toEqual([{ spent: 1.52, reserved: 0 }]);
    const implausible = await call("dear", async () => "");
    implausible.end({ outcome: "ok", tokens: { input: 500, output: -1 }, estimatedOutput: 20 });
    expect(figures()).toEqual([{ spent: 2.04, reserved: 0 }]);
  });

  it("counts calls for each target kind", async () => {
    const crew = createGroup(admin, { name: "Crew", members: ["usr_member"] });
    budget({ target: `group:${crew.id}` });
    budget({ target: "person:usr_member", period: "month" });
    const own = { ...member, tokenId: "tok_1" };
    rawDatabase().exec(`
      INSERT INTO personas (id, org_id, name, system_prompt, default_model, mode, tools, created_by, created_at, updated_at)
        VALUES ('per_1', 'org_test', 'Analyst', '', 'dear', 'default', '[]', 'usr_member', 1, 1);
      INSERT INTO api_tokens (id, org_id, user_id, name, secret_hash, prefix, role, scopes, created_at)
        VALUES ('tok_1', 'org_test', 'usr_member', 'CI', '', '', 'member', '[]', 1)`);
    budget({ target: "persona:per_1" });
    budget({ target: "token:tok_1" });
    await spend("dear", 100, { actor: own, purpose: { personaId: "per_1" } });
    await spend("dear", 100, { actor: test.actors.viewer });
    removeFromGroup(admin, crew.id, "usr_member");
    await spend("dear", 100);
    const byName = Object.fromEntries(listBudgets(admin).map(({ name, spent }) => [name, spent]));
    expect(byName).toEqual({ Crew: 0.1, member: 0.2, Analyst: 0.1, "CI (member)": 0.1 });
  });

  it("resets with the organization's day and month across clock changes", async () => {
    updateOrganisation(admin, { timeZone: "Europe/Vienna" });
    const at = (iso: string) => setClock(() => Date.parse(iso));
    at("2026-03-28T23:30:00Z");
    budget({ limit: 1 });
    budget({ limit: 100, period: "month" });
    await spend("dear", 1000);
    // 00:30 of the day that has 23 hours.
    await expect(spend("dear", 1)).rejects.toEqual(usedUp);
    at("2026-03-29T21:59:00Z");
    const late = await call("free", async () => "");
    await expect(spend("dear", 1)).rejects.toThrow(/resets on March 30/);
    at("2026-03-29T22:00:00Z");
    await spend("dear", 1000);
    late.end({ outcome: "ok", tokens: { input: 1, output: 1 } });
    expect(figures()).toEqual([
      { spent: 1, reserved: 0 },
      { spent: 2, reserved: 0 },
    ]);
    at("2026-03-31T22:00:00Z");
    expect(figures()).toEqual([
      { spent: 0, reserved: 0 },
      { spent: 0, reserved: 0 },
    ]);
    expect(listBudgets(admin).map(({ resetsOn }) => resetsOn)).toEqual(["2026-04-02", "2026-05-01"]);
  });

  it("keeps a reservation across midnight and books it in the new period", async () => {
    setClock(() => Date.parse("2026-05-31T23:59:59Z"));
    updateOrganisation(admin, { timeZone: "UTC" });
    budget({ limit: 1, period: "month" });
    const { end } = await call("dear", async () => "");
    setClock(() => Date.parse("2026-06-01T00:00:01Z"));
    expect(figures()).toEqual([{ spent: 0, reserved: 1 }]);
    await expect(spend("dear", 1)).rejects.toMatchObject({ code: "rate_limited" });
    end({ outcome: "ok", tokens: { input: 100, output: 0 } });
    expect(figures()).toEqual([{ spent: 0.1, reserved: 0 }]);
  });

  it("notifies once near its limit, once when used up, and again after an exception", async () => {
    setClock(() => Date.UTC(2026, 4, 5));
    const { id } = budget({ target: "person:usr_member", limit: 1 });
    const titles = (userId: string) =>
      rawDatabase()
        .prepare("SELECT title || ': ' || body FROM notifications WHERE user_id = ? ORDER BY rowid")
        .pluck()
        .all(userId);
    for (const tokens of [700, 100, 100, 100]) await spend("dear", tokens);
    const near = "The daily budget of member is 80% spent: $0.80 of $1.00. It resets on May 6.";
    const usedUp = "The daily budget of member is used up: $1.00 of $1.00. It resets on May 6.";
    expect(titles("usr_admin")).toEqual([near, usedUp]);
    expect(titles("usr_member")).toEqual([
      "Your daily budget is 80% spent: It resets on May 6.",
      "Your daily budget is used up: It resets on May 6.",
    ]);
    grantException(admin, id, { amount: 1, reason: "Quarter end" });
    for (const tokens of [500, 200, 400]) await spend("dear", tokens);
    expect(titles("usr_admin")).toEqual([
      near,
      usedUp,
      "The daily budget of member is 85% spent: $1.70 of $2.00. It resets on May 6.",
      "The daily budget of member is used up: $2.10 of $2.00. It resets on May 6.",
    ]);
    expect(titles("usr_viewer")).toEqual([]);
  });

  it("notifies of a limit that is reached as it is set or lowered", async () => {
    setClock(() => Date.UTC(2026, 4, 5));
    const titles = () =>
      rawDatabase()
        .prepare("SELECT title FROM notifications WHERE user_id = 'usr_admin' ORDER BY rowid")
        .pluck()
        .all();
    transaction((tx) =>
      recordUsage(tx, member, {
        providerId: "first",
        providerType: "custom",
        outcome: "ok",
        model: "dear",
        inputTokens: 500,
        outputTokens: 0,
        costMicros: 500_000,
        durationMs: 1,
      }),
    );
    const { id } = budget({ limit: 0.5 });
    const usedUp = "The daily budget of the organization is used up";
    expect(titles()).toEqual([usedUp]);
    updateBudget(admin, id, { limit: 2 });
    expect(titles()).toEqual([usedUp]);
    updateBudget(admin, id, { limit: 0.6 });
    updateBudget(admin, id, { warnAt: 81 });
    expect(titles()).toEqual([usedUp, "The daily budget of the organization is 83% spent"]);
  });

  it("warns the affected people without amounts", async () => {
    budget({ target: "person:usr_member", limit: 1 });
    budget({ limit: 1 });
    const spender = { orgId: member.orgId, userId: member.userId };
    expect(listBudgetWarnings(spender)).toEqual([]);
    await spend("dear", 900);
    await spend("dear", 100, { actor: test.actors.viewer });
    expect(listBudgetWarnings(spender).map(({ text }) => text.split(". ")[0])).toEqual([
      "The daily budget of the organization is used up",
      "Your daily budget is 90% spent",
    ]);
    expect(listBudgetWarnings(spender, ["workflow"])).toEqual([]);
  });

  it("counts calls inside a workflow's tools but not those of jobs they start", async () => {
    budget({ target: "organisation", limit: 9 });
    const { id } = createWorkflow(admin, WorkflowInput.parse({ name: "Digest", triggers: [], steps: [] }));
    budget({ target: `workflow:${id}`, limit: 9 });
    const purpose = { workflowId: id, runId: "run_1", stepId: "ask" };
    await withPurpose(purpose, async () => {
      await spend("dear", 500);
      await withoutPurpose(() => spend("dear", 100));
    });
    expect(listBudgets(admin).map(({ target, spent }) => [target, spent])).toEqual([
      ["organisation", 0.6],
      [`workflow:${id}`, 0.5],
    ]);
  });

  it("counts the calls inside a persona's tools", async () => {
    const { id } = createPersona(admin, PersonaInput.parse({ name: "Analyst", systemPrompt: "Be brief" }));
    budget({ target: `persona:${id}`, limit: 9 });
    await withPurpose({ personaId: id }, () => spend("dear", 500));
    expect(listBudgets(admin).map(({ target, spent }) => [target, spent])).toEqual([[`persona:${id}`, 0.5]]);
  });

  it("deletes periods older than a year", async () => {
    setClock(() => Date.UTC(2026, 4, 5));
    budget();
    await spend("dear", 100);
    setClock(() => Date.UTC(2027, 4, 5));
    await spend("dear", 100);
    const storedPeriods = () =>
      rawDatabase().prepare("SELECT period FROM budget_periods ORDER BY 1").pluck().all();
    expect([await prunePeriods(), storedPeriods()]).toEqual([0, ["2026-05-05", "2027-05-05"]]);
    setClock(() => Date.UTC(2027, 4, 6));
    expect([await prunePeriods(), storedPeriods()]).toEqual([1, ["2027-05-05"]]);
  });

  it("counts calls that the end of an earlier process cut off by their prompt and the received text", async () => {
    budget();
    budget({ unit: "tokens", limit: 1_000_000 });
    await call("dear", async () => "");
    const { receive } = await call("dear", async () => "");
    receive(100);
    receive(110);
    transaction(() => undefined);
    expect([settleLost(), figures()]).toEqual([
      4,
      [
        { spent: 1.1, reserved: 0 },
        { spent: 1100, reserved: 0 },
      ],
    ]);
    expect([settleLost(), figures()[0]]).toEqual([0, { spent: 1.1, reserved: 0 }]);
  });

  it("counts an answer in one piece with its longest output if the end of the process cut it off", async () => {
    budget({ unit: "tokens", limit: 1_000_000 });
    await call("dear", async () => "", { isWhole: true });
    const [before] = figures();
    expect([settleLost(), figures()]).toEqual([1, [{ spent: before?.reserved, reserved: 0 }]]);
    expect(before?.reserved).toBe(1000);
  });

  it("of a person refuses calls inside the tools of the workflows that act for them", async () => {
    budget({ target: "person:usr_member", limit: 1 });
    const actor = { ...member, kind: "workflow" as const, userId: "workflow:wfl_1" };
    const inTool = <T>(work: () => T) => withPurpose({ workflowId: "wfl_1", memberId: member.userId }, work);
    await inTool(() => spend("dear", 1000, { actor }));
    expect(figures()).toEqual([{ spent: 1, reserved: 0 }]);
    await expect(inTool(() => spend("dear", 1, { actor }))).rejects.toEqual(usedUp);
  });
});
