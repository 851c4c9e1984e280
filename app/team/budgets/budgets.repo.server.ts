import { and, asc, eq, gte, inArray, isNull, lt, ne, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import {
  type Db,
  preparedDelete,
  preparedFind,
  preparedHas,
  preparedInsert,
  preparedUpdate,
} from "~/core/db.server";
import { WIDGET_USER } from "~/platform/audit/actor-name.shared";
import {
  apiTokens,
  budgets,
  groupMembers,
  groups,
  personas,
  usageDays,
  users,
  widgets,
  workflows,
} from "~db/schema";

export type BudgetRow = typeof budgets.$inferSelect;

export function listBudgetRows(db: Db, orgId: string): BudgetRow[] {
  return db
    .select()
    .from(budgets)
    .where(eq(budgets.orgId, orgId))
    .orderBy(asc(budgets.createdAt), asc(budgets.id))
    .all();
}

export const findBudgetRow = preparedFind(budgets, "orgId", "id");
export const hasBudget = preparedHas(budgets, "orgId", "scope", "scopeId", "unit", "period");
export const insertBudget = preparedInsert(budgets);
export const updateBudgetRow = preparedUpdate(budgets, "id");
export const deleteBudgetRow = preparedDelete(budgets, "id");

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

interface SpendingQuery {
  orgId: string;
  scope: BudgetRow["scope"];
  scopeId: string;
  from: string;
  until: string;
  /** The built-in model, which no budget counts. */
  excludedModel: string;
}

function ofTarget(db: Db, { scope, scopeId }: SpendingQuery): SQL | undefined {
  const { personaId, tokenId, userId, workflowId } = usageDays;
  if (scope === "organisation") return undefined;
  if (scope === "group") {
    const members = db.select({ id: groupMembers.userId }).from(groupMembers);
    return inArray(userId, members.where(eq(groupMembers.groupId, scopeId)));
  }
  if (scope === "widget") return eq(userId, WIDGET_USER + scopeId);
  return eq({ person: userId, persona: personaId, workflow: workflowId, token: tokenId }[scope], scopeId);
}

export function sumSpentBefore(
  db: Db,
  query: SpendingQuery,
): { costMicros: number; tokens: number; unpriced: number } {
  const { inputTokens, outputTokens, costMicros, unpriced } = usageDays;
  const sums = db
    .select({
      costMicros: sql<number>`coalesce(sum(${costMicros}), 0)`,
      tokens: sql<number>`coalesce(sum(${inputTokens} + ${outputTokens}), 0)`,
      unpriced: sql<number>`coalesce(sum(${unpriced}), 0)`,
    })
    .from(usageDays)
    .where(
      and(
        eq(usageDays.orgId, query.orgId),
        gte(usageDays.day, query.from),
        lt(usageDays.day, query.until),
        ne(usageDays.model, query.excludedModel),
        ofTarget(db, query),
      ),
    )
    .get();
  return sums ?? { costMicros: 0, tokens: 0, unpriced: 0 };
}

interface Target {
  id: string;
  name: string;
}

const MAX_OPTIONS = 500;

type People = Pick<typeof users.$inferSelect, "id" | "email" | "firstName" | "lastName">;

const nameOf = ({ firstName, lastName, email }: People) =>
  [firstName, lastName].filter(Boolean).join(" ") || email;

const person = { id: users.id, email: users.email, firstName: users.firstName, lastName: users.lastName };

/** Sorted by name. `ids` limits the list, and includes removed people. */
export function listTargets(
  db: Db,
  orgId: string,
  scope: Exclude<BudgetRow["scope"], "organisation">,
  ids?: readonly string[],
): Target[] {
  const isWithin = (column: SQLWrapper) => ids && inArray(column, [...ids]);
  if (scope === "person") {
    const isListed = ids ? isWithin(users.id) : inArray(users.status, ["active", "suspended"]);
    const rows = db
      .select(person)
      .from(users)
      .where(and(eq(users.orgId, orgId), isListed))
      .orderBy(asc(users.firstName), asc(users.email))
      .limit(MAX_OPTIONS)
      .all();
    return rows.map((row) => ({ id: row.id, name: nameOf(row) }));
  }
  if (scope === "token") {
    const rows = db
      .select({ token: { id: apiTokens.id, name: apiTokens.name }, owner: person })
      .from(apiTokens)
      .innerJoin(users, eq(users.id, apiTokens.userId))
      .where(and(eq(apiTokens.orgId, orgId), isWithin(apiTokens.id)))
      .orderBy(asc(apiTokens.name))
      .limit(MAX_OPTIONS)
      .all();
    return rows.map(({ token, owner }) => ({ id: token.id, name: `${token.name} (${nameOf(owner)})` }));
  }
  const table = { group: groups, persona: personas, workflow: workflows, widget: widgets }[scope];
  const isKept = scope === "widget" && !ids ? isNull(widgets.deletedAt) : undefined;
  return db
    .select({ id: table.id, name: table.name })
    .from(table)
    .where(and(eq(table.orgId, orgId), isWithin(table.id), isKept))
    .orderBy(asc(table.name))
    .limit(MAX_OPTIONS)
    .all();
}

/** Names by id, without the organization's and those of deleted targets. */
export function readTargetNames(
  db: Db,
  orgId: string,
  scope: BudgetRow["scope"],
  ids: readonly string[],
): Map<string, string> {
  if (scope === "organisation" || ids.length === 0) return new Map();
  return new Map(listTargets(db, orgId, scope, ids).map(({ id, name }) => [id, name]));
}

/** Null for the organization, and for a deleted target. */
export function findTargetName(
  db: Db,
  { orgId, scope, scopeId }: Pick<BudgetRow, "orgId" | "scope" | "scopeId">,
): string | null {
  return readTargetNames(db, orgId, scope, [scopeId]).get(scopeId) ?? null;
}
