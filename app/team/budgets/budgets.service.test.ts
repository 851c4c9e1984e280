import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setClock } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { createGroup, deleteGroup } from "~/team/members/groups.service.server";
import { updateOrganisation } from "~/team/organization/organization.service.server";
import { recordUsage } from "~/team/usage/usage.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { BudgetForm, BudgetInput, BudgetPatch } from "./budgets.schema";
import {
  createBudget,
  deleteBudget,
  findNearestBudget,
  grantException,
  listBudgets,
  listBudgetTargets,
  readBudget,
  updateBudget,
} from "./budgets.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
  setClock(() => Date.parse("2026-03-15T12:00:00Z"));
  updateOrganisation(test.actors.admin, { timeZone: "UTC" });
});
afterEach(() => {
  setClock();
  test.close();
});

const input = (more: Partial<BudgetInput> = {}): BudgetInput => ({
  target: "organisation",
  unit: "money",
  period: "month",
  limit: 10,
  warnAt: 80,
  unpriced: "allow",
  ...more,
});

function record(at: string, userId: string, costMicros: number | null): void {
  setClock(() => Date.parse(at));
  const call = { providerId: null, providerType: "custom", model: "m", inputTokens: 70, outputTokens: 30 };
  transaction((tx) =>
    recordUsage(tx, { orgId: "org_test", userId }, { ...call, costMicros, durationMs: 1, outcome: "ok" }),
  );
}

describe("the budget nearest to its limit", () => {
  it("has the largest spent share, and isn't one of 0", () => {
    const { admin, member } = test.actors;
    createBudget(admin, input({ target: "person:usr_viewer", limit: 0 }));
    expect(findNearestBudget(admin)).toBeUndefined();
    record("2026-03-14T12:00:00Z", "usr_member", 1_000_000);
    createBudget(admin, input({ limit: 10 }));
    const own = createBudget(admin, input({ target: "person:usr_member", limit: 2 }));
    expect(findNearestBudget(admin)).toMatchObject({ id: own.id, spent: 1 });
    expect(() => findNearestBudget(member)).toThrow(/Only admins/);
  });
});

describe("the list of budgets", () => {
  it("is created, updated and deleted by admins with audit entries", () => {
    const { admin } = test.actors;
    const { id, ...made } = createBudget(admin, input());
    expect(made).toEqual({
      target: "organisation",
      scope: "organisation",
      name: null,
      unit: "money",
      period: "month",
      limit: 10,
      exception: 0,
      spent: 0,
      reserved: 0,
      unpricedCalls: 0,
      state: "ok",
      warnAt: 80,
      unpriced: "allow",
      resetsOn: "2026-04-01",
    });
    updateBudget(admin, id, { limit: 12.5 });
    expect(grantException(admin, id, { amount: 2, reason: "Launch" })).toEqual({
      ...made,
      id,
      limit: 12.5,
      exception: 2,
    });
    deleteBudget(admin, id);
    expect(listBudgets(admin)).toEqual([]);
    const entries = listAudit(test.actors.owner, { limit: 4 }).entries;
    expect(entries.map(({ action, details, before, after }) => [action, details, before, after])).toEqual([
      ["budget.deleted", { name: "the organization" }, null, null],
      [
        "budget.exception_granted",
        { name: "the organization", amount: "$2.00", until: "April 1", reason: "Launch" },
        null,
        null,
      ],
      ["budget.updated", { name: "the organization" }, { limit: 10 }, { limit: 12.5 }],
      ["budget.created", { name: "the organization", limit: "$10.00", period: "month" }, null, null],
    ]);
  });

  it("reads its names with as many statements for many budgets as for one", () => {
    const { admin } = test.actors;
    const people = ["usr_member", "usr_viewer", "usr_admin"];
    const prepare = vi.spyOn(rawDatabase(), "prepare");
    const counts = people.map((id) => {
      createBudget(admin, input({ target: `person:${id}` }));
      listBudgets(admin);
      prepare.mockClear();
      expect(listBudgets(admin).every(({ name }) => name !== null)).toBe(true);
      return prepare.mock.calls.length;
    });
    prepare.mockRestore();
    expect(new Set(counts)).toEqual(new Set([2]));
  });

  it("is forbidden to members", () => {
    const { id } = createBudget(test.actors.admin, input());
    const { member } = test.actors;
    for (const use of [
      () => listBudgets(member),
      () => listBudgetTargets(member),
      () => readBudget(member, id),
      () => createBudget(member, input()),
      () => updateBudget(member, id, { limit: 1 }),
      () => grantException(member, id, { amount: 1, reason: "x" }),
      () => deleteBudget(member, id),
    ])
      expect(use).toThrow(expect.objectContaining({ code: "forbidden" }));
    expect(() => readBudget({ ...test.actors.admin, orgId: "org_other" }, id)).toThrow(/not found/);
  });

  it("rejects duplicates, unknown targets and fractional tokens", () => {
    const { admin } = test.actors;
    createBudget(admin, input());
    expect(() => createBudget(admin, input({ limit: 5 }))).toThrow(/already exists/);
    expect(() => createBudget(admin, input({ target: "person:usr_none" }))).toThrow(/Not found/);
    expect(() => createBudget(admin, input({ unit: "tokens", limit: 0.5 }))).toThrow(
      /whole number of tokens/,
    );
    expect(() => createBudget(admin, input({ period: "day", limit: 1e-9 }))).toThrow(/millionth/);
    expect(() => createBudget(admin, input({ period: "day", limit: 2_000_000 }))).toThrow(
      /at most 1,000,000/,
    );
    createBudget(admin, input({ unit: "tokens" }));
    expect(listBudgets(admin)).toHaveLength(2);
  });

  it("starts with the period's recorded usage", () => {
    const { admin } = test.actors;
    record("2026-02-28T23:59:59Z", "usr_member", 9_000_000);
    record("2026-03-01T00:00:00Z", "usr_member", 1_000_000);
    record("2026-03-15T01:00:00Z", "usr_viewer", 500_000);
    record("2026-03-15T02:00:00Z", "usr_viewer", null);
    const { id } = createGroup(admin, { name: "Crew", members: ["usr_member"] });
    const spent = (more: Partial<BudgetInput>) => {
      const made = createBudget(admin, input(more));
      return [made.spent, made.unpricedCalls];
    };
    expect(spent({})).toEqual([1.5, 1]);
    expect(spent({ period: "day" })).toEqual([0.5, 1]);
    expect(spent({ unit: "tokens" })).toEqual([300, 0]);
    expect(spent({ target: `group:${id}` })).toEqual([1, 0]);
    expect(spent({ target: "person:usr_viewer" })).toEqual([0.5, 1]);
  });

  it("keeps a budget without a name after its group was deleted", () => {
    const { admin } = test.actors;
    const { id } = createGroup(admin, { name: "Crew", members: [] });
    createBudget(admin, input({ target: `group:${id}` }));
    deleteGroup(admin, id);
    expect(listBudgets(admin).map(({ scope, name }) => [scope, name])).toEqual([["group", null]]);
  });

  it("clears the warning for a blank form field and keeps it when omitted", () => {
    expect(BudgetForm.parse({ limit: 1 }).warnAt).toBeNull();
    expect(BudgetPatch.parse({ limit: 1 })).toEqual({ limit: 1 });
    expect(BudgetInput.safeParse(input({ target: "planet:earth" })).success).toBe(false);
  });
});
