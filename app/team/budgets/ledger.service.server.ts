import { runInBackground } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { publish } from "~/platform/events/events.service.server";
import { orgTimeZone } from "~/platform/settings/read-settings.service.server";
import { notify } from "../notifications/notify.service.server";
import { applicableBudgets, type Spender } from "./applicable.server";
import { budgetName, formatAmount, formatDay } from "./budget-names.shared";
import type { BudgetRow } from "./budgets.repo.server";
import {
  addSpending,
  deleteReservation,
  insertReservation,
  markReported,
  readBalance,
  takeReservations,
  updateReservation,
} from "./ledger.repo.server";
import { periodKey, resetDay } from "./period.server";
import { readTargetNames } from "./targets.repo.server";

/** Amounts in stored units. */
interface BudgetReport {
  kind: "near" | "used-up";
  budget: BudgetRow;
  spent: number;
  limit: number;
  period: string;
}

/** Notifies admins and the budget's member within the call's transaction. */
function reportBudget(tx: Db, { kind, budget, spent, limit, period }: BudgetReport): void {
  const { id, orgId, scope, scopeId, unit } = budget;
  const name = readTargetNames(tx, orgId, scope, [scopeId]).get(scopeId) ?? null;
  const state = kind === "used-up" ? "is used up" : `is ${Math.floor((spent / limit) * 100)}% spent`;
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

const keyOf = (budget: BudgetRow): string => periodKey(budget.period, now(), orgTimeZone(budget.orgId));

function refuse(
  budget: BudgetRow,
  spender: Spender,
  rest: { key: string; spent: number; limit: number },
): never {
  const { orgId, scope, scopeId, unit } = budget;
  const name = readTargetNames(db(), orgId, scope, [scopeId]).get(scopeId) ?? null;
  // A workflow acts for a member who may not be the reader.
  const subject = budgetName({ ...budget, name }, scope === "person" && !spender.workflowId);
  if (rest.spent < rest.limit) {
    const message = `${subject} is reserved by calls that are still running. Try again in a moment.`;
    throw new AppError("rate_limited", message, { retryAfter: RETRY_AFTER });
  }
  const figures = `${formatAmount(unit, rest.spent)} of ${formatAmount(unit, rest.limit)}`;
  throw new AppError(
    "budget_exceeded",
    `${subject} is used up (${figures}). It resets on ${formatDay(resetDay(rest.key))}. Ask an admin to raise it or grant an exception.`,
  );
}

function refuseUnpriced(budget: BudgetRow): never {
  const { orgId, scope, scopeId } = budget;
  const name = readTargetNames(db(), orgId, scope, [scopeId]).get(scopeId) ?? null;
  throw new AppError(
    "budget_exceeded",
    `${budgetName({ ...budget, name })} refuses models whose price isn't known. Choose another model, or ask an admin to enter its price.`,
  );
}

/** A call is admitted while anything remains, so the last one may exceed the limit. */
function assertWithin(tx: Db, budget: BudgetRow, spender: Spender, estimate: CallCost): void {
  const isUnpriced = budget.unit === "money" && estimate.costMicros === null;
  if (isUnpriced && budget.unpriced === "refuse") refuseUnpriced(budget);
  // Free calls, such as to a local model, spend nothing.
  if (!isUnpriced && amountOf(budget, estimate) === 0) return;
  const key = keyOf(budget);
  const { spent, reserved, extra } = readBalance(tx, budget.id, key);
  const limit = budget.limit + extra;
  if (spent + reserved >= limit) refuse(budget, spender, { key, spent, limit });
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

function addTo(tx: Db, budget: BudgetRow, cost: CallCost): void {
  const unpriced = budget.unit === "money" && cost.costMicros === null ? 1 : 0;
  addAmount(tx, budget, amountOf(budget, cost), unpriced);
}

/** Adds spending, and reports a near or reached limit once per period. */
function addAmount(tx: Db, budget: BudgetRow, amount: number, unpriced: number): void {
  const spending = { budgetId: budget.id, period: keyOf(budget), amount, unpriced };
  const row = addSpending(tx, spending);
  const limit = budget.limit + row.extra;
  const isNear = budget.warnAt !== null && row.spent * 100 >= limit * budget.warnAt;
  const isUsedUp = row.spent >= limit && row.usedUpAt === null;
  if (!isUsedUp && (!isNear || row.warnedAt !== null)) return;
  const at = now();
  markReported(tx, {
    budgetId: budget.id,
    period: row.period,
    warnedAt: row.warnedAt ?? at,
    ...(isUsedUp ? { usedUpAt: at } : {}),
  });
  const kind = isUsedUp ? "used-up" : "near";
  reportBudget(tx, { kind, budget, spent: row.spent, limit, period: row.period });
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
        for (const budget of budgets) addTo(tx, budget, spent);
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
  for (const { id } of reservation?.budgets ?? [])
    deleteReservation(tx, { budgetId: id, callId: reservation?.callId ?? "" });
}

/** Releases the reservation of a failed call. */
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
