import { runInBackground } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { cachedByConfig } from "~/core/config-cache.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { WIDGET_USER } from "~/platform/audit/actor-name.shared";
import { announce } from "~/platform/events/domain-events.service.server";
import { publish } from "~/platform/events/events.service.server";
import { notify } from "~/team/notifications/notify.service.server";
import { type BudgetRow, findTargetName, listBudgetRows, listGroupsOfMembers } from "./budgets.repo.server";
import { type BudgetScope, budgetName, formatAmount, formatDay } from "./budgets.shared";
import {
  addSpending,
  deleteReservation,
  insertReservation,
  type PeriodRow,
  readPeriod,
  savePeriod,
  sumReserved,
  takeReservations,
  updateReservation,
} from "./ledger.repo.server";
import { currentPeriod, resetDay } from "./period.server";

function reportBudget(tx: Db, budget: BudgetRow, { spent, period }: PeriodRow, limit: number): void {
  const { id, orgId, scope, scopeId, unit } = budget;
  const name = findTargetName(tx, budget);
  const kind = spent >= limit ? "used-up" : "near";
  const state = kind === "used-up" ? "is used up" : `is ${Math.floor((spent / limit) * 100)}% spent`;
  // Others are known only to those who manage budgets, and to the person.
  if (scope === "organisation" || scope === "workflow")
    announce(tx, "budget.reached", {
      orgId,
      budget: { id, name: budgetName({ ...budget, name }), scope, unit, spent, limit },
      level: kind === "near" ? "near" : "used up",
    });
  const resets = `It resets on ${formatDay(resetDay(period))}.`;
  const common = {
    event: "budget.near" as const,
    organisationId: orgId,
    // An exception raises the limit, which may be neared again.
    dedupeKey: `${id} ${period} ${kind} ${limit}`,
  };
  notify(tx, {
    ...common,
    audience: { permission: "budgets.manage" },
    title: `${budgetName({ ...budget, name })} ${state}`,
    body: `${formatAmount(unit, spent)} of ${formatAmount(unit, limit)}. ${resets}`,
    link: "/usage/budgets",
    isPrivate: scope !== "organisation",
  });
  if (scope !== "person") return;
  notify(tx, {
    ...common,
    audience: { permission: "screens.read", userIds: [scopeId] },
    title: `${budgetName({ ...budget, name }, true)} ${state}`,
    body: resets,
    link: "/usage",
    isPrivate: true,
  });
}

export interface CallCost {
  /** Millionths of a US dollar; null for an unknown price. */
  costMicros: number | null;
  tokens: number;
}

export interface Reservation {
  callId: string;
  budgets: readonly BudgetRow[];
}

/** Estimated costs of a call: what counts once it has begun, and with the longest output. */
export interface CallEstimate {
  begun: CallCost;
  whole: CallCost;
}

/** In seconds, while running calls reserve the rest. */
const RETRY_AFTER = 5;

const amountOf = ({ unit }: BudgetRow, { costMicros, tokens }: CallCost): number =>
  unit === "tokens" ? tokens : (costMicros ?? 0);

function refuse(
  budget: BudgetRow,
  spender: Spender,
  rest: { period: string; spent: number; limit: number },
): never {
  const { scope } = budget;
  const name = findTargetName(db(), budget);
  // A workflow acts for a member who may not be the reader.
  const subject = budgetName({ ...budget, name }, scope === "person" && !spender.workflowId);
  if (rest.spent < rest.limit) {
    const message = `${subject} is reserved by calls that are still running. Try again in a moment.`;
    throw new AppError("rate_limited", message, { retryAfter: RETRY_AFTER });
  }
  // Without amounts: whoever calls may not see what others spend.
  throw new AppError(
    "budget_exceeded",
    `${subject} is used up. It resets on ${formatDay(resetDay(rest.period))}. An admin can raise it or grant an exception under Budgets.`,
  );
}

function refuseUnpriced(budget: BudgetRow): never {
  const subject = budgetName({ ...budget, name: findTargetName(db(), budget) });
  throw new AppError(
    "budget_exceeded",
    `${subject} refuses models whose price isn't known. Choose another model, or ask an admin to enter its price.`,
  );
}

/** A call is admitted while anything remains, so the last one may exceed the limit. */
function assertWithin(tx: Db, budget: BudgetRow, spender: Spender, estimate: CallCost): void {
  const isUnpriced = budget.unit === "money" && estimate.costMicros === null;
  if (isUnpriced && budget.unpriced === "refuse") refuseUnpriced(budget);
  // Free calls, such as to a local model, spend nothing.
  if (!isUnpriced && amountOf(budget, estimate) === 0) return;
  const period = currentPeriod(budget);
  const { spent, extra } = readPeriod(tx, { budgetId: budget.id, period });
  const limit = budget.limit + extra;
  if (spent + sumReserved(tx, budget.id) >= limit) refuse(budget, spender, { period, spent, limit });
}

/**
 * Reserves the likely cost of a call in all budgets that apply, or in none. Synchronous, and not on disk
 * at once: only a loss of power forgets it.
 *
 * @param estimate called only if a budget applies
 * @returns undefined if no budget applies
 * @throws AppError `budget_exceeded`; `rate_limited` while running calls reserve the rest
 */
export function reserve(spender: Spender, estimate: () => CallEstimate): Reservation | undefined {
  const budgets = applicableBudgets(spender);
  if (budgets.length === 0) return undefined;
  const { begun, whole } = estimate();
  const callId = newId("call");
  transaction(
    (tx) => {
      for (const budget of budgets) assertWithin(tx, budget, spender, whole);
      for (const budget of budgets)
        insertReservation(tx, {
          budgetId: budget.id,
          callId,
          amount: amountOf(budget, whole),
          spent: amountOf(budget, begun),
        });
    },
    { durable: false },
  );
  publish({ topic: "budgets", orgId: spender.orgId });
  return { callId, budgets };
}

/** Notes what a running call has cost so far: the next start counts it if the process dies. */
export function noteSpent({ callId, budgets }: Reservation, cost: () => CallCost): void {
  const write = (tx: Db) => {
    const spent = cost();
    for (const budget of budgets)
      updateReservation(tx, { budgetId: budget.id, callId, spent: amountOf(budget, spent) });
  };
  // The call goes on where it can't be noted.
  runInBackground("what a running call has cost", () => transaction(write, { durable: false }));
}

/** Adds spending, and reports a near or reached limit. */
export function addAmount(tx: Db, budget: BudgetRow, amount: number, unpriced: number): void {
  const period = currentPeriod(budget);
  reportReached(tx, budget, addSpending(tx, { budgetId: budget.id, period, spent: amount, unpriced }));
}

/** Once per period and limit. */
export function reportReached(tx: Db, budget: BudgetRow, row: PeriodRow): void {
  const limit = budget.limit + row.extra;
  const isNear = budget.warnAt !== null && row.spent * 100 >= limit * budget.warnAt;
  const isUsedUp = row.spent >= limit && row.usedUpAt === null;
  if (!isUsedUp && (!isNear || row.warnedAt !== null)) return;
  const at = now();
  savePeriod(tx, { ...row, warnedAt: row.warnedAt ?? at, usedUpAt: isUsedUp ? at : row.usedUpAt });
  reportBudget(tx, budget, row, limit);
}

/**
 * Replaces a call's reservation by its actual cost, in the period in which it ended, like its usage record. All budgets
 * that apply now count it, including those added during the call. Never throws, since the call has been made.
 *
 * @param cost called only if a budget applies
 */
export function settle(spender: Spender, reservation: Reservation | undefined, cost: () => CallCost): void {
  const budgets = applicableBudgets(spender);
  if (budgets.length === 0 && !reservation) return;
  try {
    transaction(
      (tx) => {
        remove(tx, reservation);
        if (budgets.length === 0) return;
        const spent = cost();
        for (const budget of budgets) {
          const isUnpriced = budget.unit === "money" && spent.costMicros === null;
          addAmount(tx, budget, amountOf(budget, spent), isUnpriced ? 1 : 0);
        }
      },
      // The usage record's commit syncs this one too.
      { durable: false },
    );
    publish({ topic: "budgets", orgId: spender.orgId });
  } catch (error) {
    log.error("a call's cost was not counted against its budgets", { error });
  }
}

function remove(tx: Db, reservation: Reservation | undefined): void {
  for (const { id } of reservation?.budgets ?? []) deleteReservation(tx, id, reservation?.callId ?? "");
}

export function release({ orgId }: Pick<Spender, "orgId">, reservation: Reservation | undefined): void {
  if (!reservation) return;
  try {
    transaction((tx) => remove(tx, reservation), { durable: false });
    publish({ topic: "budgets", orgId });
  } catch (error) {
    log.error("a call's reservation was not released", { error });
  }
}

/** Counts the calls that the end of the last process cut off, by their estimates. @returns their number */
export const settleLost = (): number =>
  transaction((tx) => {
    const lost = takeReservations(tx);
    for (const { budget, spent } of lost) if (spent > 0) addAmount(tx, budget, spent, 0);
    return lost.length;
  });

export interface Spender {
  orgId: string;
  userId: string;
  tokenId?: string | null | undefined;
  personaId?: string | null | undefined;
  workflowId?: string | null | undefined;
}

interface BudgetIndex {
  byTarget: Map<string, BudgetRow[]>;
  groupsByMember: Map<string, string[]>;
}

const NONE: readonly BudgetRow[] = [];

const budgetsOf = cachedByConfig<BudgetIndex>(["budgets"], (orgId) => {
  const rows = listBudgetRows(db(), orgId);
  const byTarget = new Map<string, BudgetRow[]>();
  for (const row of rows) {
    const key = `${row.scope}:${row.scopeId}`;
    byTarget.set(key, [...(byTarget.get(key) ?? []), row]);
  }
  const hasGroups = rows.some(({ scope }) => scope === "group");
  return { byTarget, groupsByMember: hasGroups ? listGroupsOfMembers(db(), orgId) : new Map() };
});

/** Budgets that a call counts against, cached until budgets or groups change. */
export function applicableBudgets(spender: Spender): readonly BudgetRow[] {
  const { byTarget, groupsByMember } = budgetsOf(spender.orgId);
  if (byTarget.size === 0) return NONE;
  const of = (scope: BudgetScope, id: string | null | undefined) =>
    id === null || id === undefined ? NONE : (byTarget.get(`${scope}:${id}`) ?? NONE);
  return [
    ...of("organisation", ""),
    ...(groupsByMember.get(spender.userId) ?? []).flatMap((id) => of("group", id)),
    ...of("person", spender.userId),
    ...of("persona", spender.personaId),
    ...of("workflow", spender.workflowId),
    ...of("token", spender.tokenId),
    ...(spender.userId.startsWith(WIDGET_USER)
      ? of("widget", spender.userId.slice(WIDGET_USER.length))
      : NONE),
  ];
}
