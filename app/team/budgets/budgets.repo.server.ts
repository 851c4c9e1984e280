import { and, asc, eq } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { budgetPeriods, budgets, groupMembers, groups } from "~db/schema";

export type BudgetRow = typeof budgets.$inferSelect;
export type PeriodRow = typeof budgetPeriods.$inferSelect;

export function listBudgetRows(db: Db, orgId: string): BudgetRow[] {
  return db
    .select()
    .from(budgets)
    .where(eq(budgets.orgId, orgId))
    .orderBy(asc(budgets.createdAt), asc(budgets.id))
    .all();
}

export function findBudgetRow(db: Db, orgId: string, id: string): BudgetRow | undefined {
  return db
    .select()
    .from(budgets)
    .where(and(eq(budgets.orgId, orgId), eq(budgets.id, id)))
    .get();
}

export function findSameBudget(
  db: Db,
  { orgId, scope, scopeId, unit, period }: Pick<BudgetRow, "orgId" | "scope" | "scopeId" | "unit" | "period">,
): BudgetRow | undefined {
  return db
    .select()
    .from(budgets)
    .where(
      and(
        eq(budgets.orgId, orgId),
        eq(budgets.scope, scope),
        eq(budgets.scopeId, scopeId),
        eq(budgets.unit, unit),
        eq(budgets.period, period),
      ),
    )
    .get();
}

export function insertBudget(tx: Db, row: BudgetRow): void {
  tx.insert(budgets).values(row).run();
}

export function updateBudgetRow(tx: Db, { id, ...row }: BudgetRow): void {
  tx.update(budgets).set(row).where(eq(budgets.id, id)).run();
}

export function deleteBudgetRow(tx: Db, id: string): void {
  tx.delete(budgets).where(eq(budgets.id, id)).run();
}

export function findPeriodRow(db: Db, budgetId: string, period: string): PeriodRow | undefined {
  return db
    .select()
    .from(budgetPeriods)
    .where(and(eq(budgetPeriods.budgetId, budgetId), eq(budgetPeriods.period, period)))
    .get();
}

/** Inserts or updates a period's row. */
export function savePeriodRow(tx: Db, row: PeriodRow): void {
  const { budgetId, period, ...values } = row;
  tx.insert(budgetPeriods)
    .values(row)
    .onConflictDoUpdate({ target: [budgetPeriods.budgetId, budgetPeriods.period], set: values })
    .run();
}

export function listGroupsOfMembers(db: Db, orgId: string): Map<string, string[]> {
  const rows = db
    .select({ groupId: groupMembers.groupId, userId: groupMembers.userId })
    .from(groupMembers)
    .innerJoin(groups, eq(groups.id, groupMembers.groupId))
    .where(eq(groups.orgId, orgId))
    .all();
  const groupsByUser = new Map<string, string[]>();
  for (const { userId, groupId } of rows)
    groupsByUser.set(userId, [...(groupsByUser.get(userId) ?? []), groupId]);
  return groupsByUser;
}

export function listGroupMembers(db: Db, groupId: string): string[] {
  return db
    .select({ userId: groupMembers.userId })
    .from(groupMembers)
    .where(eq(groupMembers.groupId, groupId))
    .all()
    .map(({ userId }) => userId);
}
