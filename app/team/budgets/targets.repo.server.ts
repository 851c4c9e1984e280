import { and, asc, eq, inArray } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { apiTokens, type budgets, groups, personas, users, workflows } from "~db/schema";

type BudgetScope = (typeof budgets.$inferSelect)["scope"];

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
function listOf(
  db: Db,
  orgId: string,
  scope: Exclude<BudgetScope, "organisation">,
  ids: readonly string[] | undefined,
): Target[] {
  const within = (column: typeof users.id | typeof groups.id) => ids && inArray(column, [...ids]);
  if (scope === "person") {
    const status = ids ? undefined : inArray(users.status, ["active", "suspended"]);
    const rows = db
      .select(person)
      .from(users)
      .where(and(eq(users.orgId, orgId), status, within(users.id)))
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
      .where(and(eq(apiTokens.orgId, orgId), ids && inArray(apiTokens.id, [...ids])))
      .orderBy(asc(apiTokens.name))
      .limit(MAX_OPTIONS)
      .all();
    return rows.map(({ token, owner }) => ({ id: token.id, name: `${token.name} (${nameOf(owner)})` }));
  }
  const table = { group: groups, persona: personas, workflow: workflows }[scope];
  return db
    .select({ id: table.id, name: table.name })
    .from(table)
    .where(and(eq(table.orgId, orgId), ids && inArray(table.id, [...ids])))
    .orderBy(asc(table.name))
    .limit(MAX_OPTIONS)
    .all();
}

export function readTargetNames(
  db: Db,
  orgId: string,
  scope: BudgetScope,
  ids: readonly string[],
): Map<string, string> {
  if (scope === "organisation" || ids.length === 0) return new Map();
  return new Map(listOf(db, orgId, scope, ids).map(({ id, name }) => [id, name]));
}

export const listTargets = (db: Db, orgId: string, scope: Exclude<BudgetScope, "organisation">): Target[] =>
  listOf(db, orgId, scope, undefined);
