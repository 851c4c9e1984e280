import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { pageOf } from "~/core/cursor";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append, changesOf } from "~/platform/audit/audit.service.server";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { publish } from "~/platform/events/events.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { orgTimeZone } from "~/platform/settings/read-settings.service.server";
import { fromStored, toStored } from "./amounts.shared";
import { budgetName, formatAmount, formatDay, targetName } from "./budget-names.shared";
import {
  type BudgetRow,
  deleteBudgetRow,
  findBudgetRow,
  findPeriodRow,
  findSameBudget,
  insertBudget,
  listBudgetRows,
  listGroupMembers,
  type PeriodRow,
  savePeriodRow,
  updateBudgetRow,
} from "./budgets.repo.server";
import {
  type Budget,
  type BudgetException,
  type BudgetInput,
  BudgetPatch,
  type BudgetQuery,
  type BudgetScope,
  type BudgetState,
  SCOPES,
} from "./budgets.schema";
import { readBalance } from "./ledger.repo.server";
import { periodKey, resetDay } from "./period.server";
import { sumSpentBefore } from "./spent-before.repo.server";
import { listTargets, readTargetNames } from "./targets.repo.server";

/** Maximum per organization, since each call checks its budgets. */
const MAX_BUDGETS = 500;

const keyOf = ({ orgId, period }: BudgetRow): string => periodKey(period, now(), orgTimeZone(orgId));

/** State of a budget by the spent share of its limit. */
export function stateOf(
  { limit, warnAt }: Pick<BudgetRow, "limit" | "warnAt">,
  { spent, extra }: Pick<PeriodRow, "spent" | "extra">,
): BudgetState {
  const allowed = limit + extra;
  if (spent >= allowed) return "used-up";
  return warnAt !== null && spent * 100 >= allowed * warnAt ? "near" : "ok";
}

function toBudget(tx: Db, row: BudgetRow, name: string | null): Budget {
  const { id, scope, scopeId, unit, period, warnAt, unpriced } = row;
  const key = keyOf(row);
  const balance = readBalance(tx, id, key);
  return {
    id,
    target: scope === "organisation" ? scope : `${scope}:${scopeId}`,
    scope,
    name,
    unit,
    period,
    limit: fromStored(unit, row.limit),
    exception: fromStored(unit, balance.extra),
    spent: fromStored(unit, balance.spent),
    reserved: fromStored(unit, balance.reserved),
    unpricedCalls: findPeriodRow(tx, id, key)?.unpriced ?? 0,
    state: stateOf(row, balance),
    warnAt,
    unpriced,
    resetsOn: resetDay(key),
  };
}

function nameOf(tx: Db, { orgId, scope, scopeId }: BudgetRow): string | null {
  return readTargetNames(tx, orgId, scope, [scopeId]).get(scopeId) ?? null;
}

const auditName = (tx: Db, row: BudgetRow): string => targetName({ scope: row.scope, name: nameOf(tx, row) });

export function listBudgets(actor: Actor): Budget[] {
  authorise(actor, "budgets.manage");
  const rows = listBudgetRows(db(), actor.orgId);
  return SCOPES.flatMap((scope) => {
    const own = rows.filter((row) => row.scope === scope);
    const names = readTargetNames(
      db(),
      actor.orgId,
      scope,
      own.map(({ scopeId }) => scopeId),
    );
    return own
      .map((row) => toBudget(db(), row, names.get(row.scopeId) ?? null))
      .sort((a, b) => (a.name ?? "").localeCompare(b.name ?? ""));
  });
}

const PAGE_SIZE = 50;

/** A page of budgets, and the one of `id`, which may be on another page. */
export function pageBudgets(actor: Actor, { page, id }: BudgetQuery) {
  const budgets = listBudgets(actor);
  return { ...pageOf(budgets, page, PAGE_SIZE), selected: budgets.find((budget) => budget.id === id) };
}

/** The budget with the largest spent share. One of 0 is a ban, which nobody nears. */
export function findNearestBudget(actor: Actor): Budget | undefined {
  const share = ({ spent, limit, exception }: Budget) => spent / (limit + exception);
  return listBudgets(actor)
    .filter(({ limit, exception }) => limit + exception > 0)
    .reduce<Budget | undefined>(
      (nearest, budget) => (nearest && share(nearest) >= share(budget) ? nearest : budget),
      undefined,
    );
}

export function listBudgetTargets(actor: Actor) {
  authorise(actor, "budgets.manage");
  const of = (scope: Exclude<BudgetScope, "organisation">) => listTargets(db(), actor.orgId, scope);
  return {
    group: of("group"),
    person: of("person"),
    persona: of("persona"),
    workflow: of("workflow"),
    token: of("token"),
  };
}

function requireRow(tx: Db, actor: Actor, id: string): BudgetRow {
  const row = findBudgetRow(tx, actor.orgId, id);
  if (!row) throw new AppError("not_found", "Budget not found. It may have been deleted.");
  return row;
}

export function readBudget(actor: Actor, id: string): Budget {
  authorise(actor, "budgets.manage");
  const row = requireRow(db(), actor, id);
  return toBudget(db(), row, nameOf(db(), row));
}

function amountIn(unit: BudgetRow["unit"], amount: number, field: string): number {
  const result = toStored(unit, amount);
  if ("stored" in result) return result.stored;
  throw new AppError("invalid", `${result.error}.`, { fields: { [field]: [result.error] } });
}

/** Seeds a new budget's period from the usage records. */
function seedPeriod(tx: Db, row: BudgetRow): void {
  const key = keyOf(row);
  const sums = sumSpentBefore(tx, {
    ...row,
    members: row.scope === "group" ? listGroupMembers(tx, row.scopeId) : [],
    from: row.period === "day" ? key : `${key}-01`,
    until: resetDay(key),
    excludedModel: OFFLINE_MODEL,
  });
  const isMoney = row.unit === "money";
  const spent = isMoney ? sums.costMicros : sums.tokens;
  const period = { budgetId: row.id, period: key, spent, extra: 0, unpriced: isMoney ? sums.unpriced : 0 };
  savePeriodRow(tx, { ...period, warnedAt: null, usedUpAt: null });
}

/** Resets a notification for a limit that is no longer reached. */
function rearm(tx: Db, row: BudgetRow, extra = 0): void {
  const key = keyOf(row);
  const period = findPeriodRow(tx, row.id, key) ?? {
    budgetId: row.id,
    period: key,
    spent: 0,
    extra: 0,
    unpriced: 0,
    warnedAt: null,
    usedUpAt: null,
  };
  const changed = { ...period, extra: period.extra + extra };
  const state = stateOf(row, changed);
  savePeriodRow(tx, {
    ...changed,
    usedUpAt: state === "used-up" ? changed.usedUpAt : null,
    warnedAt: state === "ok" ? null : changed.warnedAt,
  });
}

/** @throws AppError `invalid` for an unknown target, `conflict` for a second budget of the same unit and period */
export function createBudget(actor: Actor, { target, limit, ...input }: BudgetInput): Budget {
  authorise(actor, "budgets.manage");
  const [scope, scopeId = ""] = target.split(":") as [BudgetScope, string?];
  const budget = transaction((tx) => {
    const at = now();
    const row: BudgetRow = {
      ...input,
      id: newId("bud"),
      orgId: actor.orgId,
      scope,
      scopeId,
      limit: amountIn(input.unit, limit, "limit"),
      createdAt: at,
      updatedAt: at,
    };
    const name = nameOf(tx, row);
    const refuse = (code: "invalid" | "conflict", message: string): never => {
      throw new AppError(code, message, { fields: { target: [message] } });
    };
    if (scope !== "organisation" && name === null) refuse("invalid", "Not found. Choose another target.");
    if (findSameBudget(tx, row))
      refuse("conflict", `${budgetName({ ...row, name })} in this unit already exists. Edit it instead.`);
    if (listBudgetRows(tx, actor.orgId).length >= MAX_BUDGETS)
      refuse("conflict", `You can have at most ${MAX_BUDGETS} budgets. Delete one first.`);
    insertBudget(tx, row);
    seedPeriod(tx, row);
    append(tx, actor, {
      action: "budget.created",
      resource: `budget:${row.id}`,
      details: {
        name: targetName({ scope, name }),
        limit: formatAmount(row.unit, row.limit),
        period: row.period,
      },
    });
    return toBudget(tx, row, name);
  });
  publish({ topic: "budgets", orgId: actor.orgId });
  return budget;
}

export function updateBudget(actor: Actor, id: string, { limit, ...patch }: BudgetPatch): Budget {
  return change(actor, id, (tx, row) => {
    const { unit } = row;
    const changes = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
    const changed: BudgetRow = {
      ...row,
      ...changes,
      ...(limit === undefined ? {} : { limit: amountIn(unit, limit, "limit") }),
      updatedAt: now(),
    };
    updateBudgetRow(tx, changed);
    rearm(tx, changed);
    append(tx, actor, {
      action: "budget.updated",
      resource: `budget:${id}`,
      details: { name: auditName(tx, row) },
      ...changesOf(BudgetPatch.shape, { ...row, limit: fromStored(unit, row.limit) }, { ...patch, limit }),
    });
    return changed;
  });
}

/** Raises a budget's limit until its next reset. @throws AppError `not_found`, `invalid` */
export function grantException(actor: Actor, id: string, { amount, reason }: BudgetException): Budget {
  return change(actor, id, (tx, row) => {
    const extra = amountIn(row.unit, amount, "amount");
    rearm(tx, row, extra);
    append(tx, actor, {
      action: "budget.exception_granted",
      resource: `budget:${id}`,
      details: {
        name: auditName(tx, row),
        amount: formatAmount(row.unit, extra),
        until: formatDay(resetDay(keyOf(row))),
        reason,
      },
    });
    return row;
  });
}

function change(actor: Actor, id: string, work: (tx: Db, row: BudgetRow) => BudgetRow): Budget {
  authorise(actor, "budgets.manage");
  const budget = transaction((tx) => {
    const changed = work(tx, requireRow(tx, actor, id));
    return toBudget(tx, changed, nameOf(tx, changed));
  });
  publish({ topic: "budgets", orgId: actor.orgId });
  return budget;
}

export function deleteBudget(actor: Actor, id: string): Budget {
  return change(actor, id, (tx, row) => {
    append(tx, actor, {
      action: "budget.deleted",
      resource: `budget:${id}`,
      details: { name: auditName(tx, row) },
    });
    deleteBudgetRow(tx, id);
    return row;
  });
}
