import { and, eq, gte, inArray, lt, ne, type SQL, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { type budgets, usageDays } from "~db/schema";

interface SpendingQuery {
  orgId: string;
  scope: (typeof budgets.$inferSelect)["scope"];
  scopeId: string;
  members: readonly string[];
  from: string;
  until: string;
  /** The built-in model, which no budget counts. */
  excludedModel: string;
}

function ofTarget({ scope, scopeId, members }: SpendingQuery): SQL | undefined {
  switch (scope) {
    case "organisation":
      return undefined;
    case "group":
      return inArray(usageDays.userId, [...members]);
    case "person":
      return eq(usageDays.userId, scopeId);
    case "persona":
      return eq(usageDays.personaId, scopeId);
    case "workflow":
      return eq(usageDays.workflowId, scopeId);
    case "token":
      return eq(usageDays.tokenId, scopeId);
  }
}

/** Spending in the usage records. */
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
        ofTarget(query),
      ),
    )
    .get();
  return sums ?? { costMicros: 0, tokens: 0, unpriced: 0 };
}
