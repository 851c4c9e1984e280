import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { pageOf } from "~/core/cursor";
import { type Db, db, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append, changesOf } from "~/platform/audit/audit.service.server";
import { distinctNames } from "~/platform/catalogue/names";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { publish } from "~/platform/events/events.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import {
  type BudgetRow,
  deleteBudgetRow,
  findBudgetRow,
  findTargetName,
  hasBudget,
  insertBudget,
  listBudgetRows,
  listTargets,
  readTargetNames,
  sumSpentBefore,
  updateBudgetRow,
} from "./budgets.repo.server";
import {
  type Budget,
  type BudgetException,
  type BudgetInput,
  BudgetPatch,
  type BudgetQuery,
  type BudgetState,
  type BudgetWarning,
} from "./budgets.schema";
import {
  type BudgetScope,
  budgetName,
  formatAmount,
  formatDay,
  fromStored,
  MAX_LIMIT,
  SCOPES,
  targetName,
  toMicros,
} from "./budgets.shared";
import { type PeriodRow, readPeriod, savePeriod, sumReserved } from "./ledger.repo.server";
import { addAmount, applicableBudgets, reportReached, type Spender } from "./ledger.service.server";
import { currentPeriod, resetDay } from "./period.server";

/** Maximum per organization, since each call checks its budgets. */
const MAX_BUDGETS = 500;

function stateOf(
  { limit, warnAt }: Pick<BudgetRow, "limit" | "warnAt">,
  { spent, extra }: Pick<PeriodRow, "spent" | "extra">,
): BudgetState {
  const allowed = limit + extra;
  if (spent >= allowed) return "used-up";
  return warnAt !== null && spent * 100 >= allowed * warnAt ? "near" : "ok";
}

function toBudget(tx: Db, row: BudgetRow, name: string | null): Budget {
  const { id, scope, scopeId, unit, period, warnAt, unpriced } = row;
  const key = currentPeriod(row);
  const { spent, extra, unpriced: unpricedCalls } = readPeriod(tx, { budgetId: id, period: key });
  return {
    id,
    target: scope === "organisation" ? scope : `${scope}:${scopeId}`,
    scope,
    name,
    unit,
    period,
    limit: fromStored(unit, row.limit),
    exception: fromStored(unit, extra),
    spent: fromStored(unit, spent),
    reserved: fromStored(unit, sumReserved(tx, id)),
    unpricedCalls,
    state: stateOf(row, { spent, extra }),
    warnAt,
    unpriced,
    resetsOn: resetDay(key),
  };
}

const auditName = (tx: Db, row: BudgetRow): string =>
  targetName({ scope: row.scope, name: findTargetName(tx, row) });

export function listBudgets(actor: Actor): Budget[] {
  authorise(actor, "budgets.manage");
  const rows = listBudgetRows(db(), actor.orgId);
  return SCOPES.flatMap((scope) => {
    const own = rows.filter((row) => row.scope === scope);
    const ids = own.map(({ scopeId }) => scopeId);
    const names = readTargetNames(db(), actor.orgId, scope, ids);
    return own
      .map((row) => toBudget(db(), row, names.get(row.scopeId) ?? null))
      .sort((a, b) => (a.name ?? "").localeCompare(b.name ?? ""));
  });
}

const PAGE_SIZE = 50;

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

/**
 * What the organization's budget of money allows on one day: the limit of a day, else a month's share.
 * @returns its amount in millionths of a dollar and a label; undefined without such a budget
 */
export function findDailyLimit(actor: Actor): { value: number; label: string } | undefined {
  authorise(actor, "budgets.manage");
  const rows = listBudgetRows(db(), actor.orgId).filter(
    ({ scope, unit, limit }) => scope === "organisation" && unit === "money" && limit > 0,
  );
  const row = rows.find(({ period }) => period === "day") ?? rows[0];
  if (!row) return undefined;
  const amount = (micros: number) => formatAmount("money", micros);
  if (row.period === "day") return { value: row.limit, label: `Budget of ${amount(row.limit)} a day` };
  const month = currentPeriod(row);
  const days = (Date.parse(resetDay(month)) - Date.parse(`${month}-01`)) / DAY;
  const value = Math.round(row.limit / days);
  return { value, label: `Budget of ${amount(row.limit)} a month, ${amount(value)} a day` };
}

export function listBudgetTargets(actor: Actor) {
  authorise(actor, "budgets.manage");
  const of = (scope: Exclude<BudgetScope, "organisation">) =>
    distinctNames(listTargets(db(), actor.orgId, scope));
  return {
    group: of("group"),
    person: of("person"),
    persona: of("persona"),
    workflow: of("workflow"),
    token: of("token"),
    widget: of("widget"),
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
  return toBudget(db(), row, findTargetName(db(), row));
}

function checkAmount(unit: BudgetRow["unit"], amount: number): string | undefined {
  if (unit === "tokens" && !Number.isInteger(amount)) return "Enter a whole number of tokens";
  if (amount > 0 && toMicros(unit, amount) === 0) return "Enter 0, or at least a millionth of a dollar";
  return amount > MAX_LIMIT[unit] ? `Enter at most ${MAX_LIMIT[unit].toLocaleString("en-US")}` : undefined;
}

function amountIn(unit: BudgetRow["unit"], amount: number, field: string): number {
  const error = checkAmount(unit, amount);
  if (error) throw new AppError("invalid", `${error}.`, { fields: { [field]: [error] } });
  return toMicros(unit, amount);
}

function seedPeriod(tx: Db, row: BudgetRow): void {
  const period = currentPeriod(row);
  const sums = sumSpentBefore(tx, {
    ...row,
    from: row.period === "day" ? period : `${period}-01`,
    until: resetDay(period),
    excludedModel: OFFLINE_MODEL,
  });
  const isMoney = row.unit === "money";
  const spent = isMoney ? sums.costMicros : sums.tokens;
  addAmount(tx, row, spent, isMoney ? sums.unpriced : 0);
}

/** Resets a notification for a limit that is no longer reached, and reports one that a change has reached. */
function rearm(tx: Db, row: BudgetRow, extra = 0): void {
  const period = readPeriod(tx, { budgetId: row.id, period: currentPeriod(row) });
  const changed = { ...period, extra: period.extra + extra };
  const state = stateOf(row, changed);
  const saved = {
    ...changed,
    usedUpAt: state === "used-up" ? changed.usedUpAt : null,
    warnedAt: state === "ok" ? null : changed.warnedAt,
  };
  savePeriod(tx, saved);
  reportReached(tx, row, saved);
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
    const name = findTargetName(tx, row);
    const refuse = (code: "invalid" | "conflict", message: string): never => {
      throw new AppError(code, message, { fields: { target: [message] } });
    };
    if (scope !== "organisation" && name === null) refuse("invalid", "Not found. Choose another target.");
    if (hasBudget(tx, row.orgId, scope, scopeId, row.unit, row.period))
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
    updateBudgetRow(tx, id, changed);
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
        until: formatDay(resetDay(currentPeriod(row))),
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
    return toBudget(tx, changed, findTargetName(tx, changed));
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

/** A sentence without amounts, which only admins see. */
function warningFor(budget: BudgetRow, isOwn: boolean): BudgetWarning | undefined {
  const period = currentPeriod(budget);
  const { spent, extra } = readPeriod(db(), { budgetId: budget.id, period });
  const state = stateOf(budget, { spent, extra });
  if (state === "ok") return undefined;
  const subject = budgetName({ ...budget, name: findTargetName(db(), budget) }, isOwn);
  const resets = `It resets on ${formatDay(resetDay(period))}.`;
  if (state === "used-up")
    return {
      state,
      text: `${subject} is used up. ${resets} An admin can raise it or grant an exception under Budgets.`,
    };
  const share = Math.floor((spent / (budget.limit + extra)) * 100);
  return { state, text: `${subject} is ${share}% spent. ${resets}` };
}

export function listTokenBudgetWarnings(
  { orgId, userId }: Pick<Spender, "orgId" | "userId">,
  tokens: readonly { id: string }[],
): Record<string, BudgetWarning[]> {
  return Object.fromEntries(
    tokens.map(({ id }) => [id, listBudgetWarnings({ orgId, userId, tokenId: id }, ["token"])]),
  );
}

/** Warnings about the budgets of a call, exhausted ones first. */
export function listBudgetWarnings(
  spender: Spender,
  scopes?: readonly BudgetRow["scope"][],
): BudgetWarning[] {
  const warnings = applicableBudgets(spender)
    .filter(({ scope }) => scopes?.includes(scope) ?? true)
    .flatMap((budget) => warningFor(budget, budget.scope === "person") ?? []);
  return warnings.sort((a, b) => Number(b.state === "used-up") - Number(a.state === "used-up"));
}
