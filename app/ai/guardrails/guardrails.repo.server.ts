import { and, eq, gte, sql, sum } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { guardrailCounts } from "~db/schema";

interface Counted {
  orgId: string;
  day: string;
  rule: string;
  refused: number;
  masked: number;
}

export function addGuardrailCount(tx: Db, row: Counted): void {
  tx.insert(guardrailCounts)
    .values(row)
    .onConflictDoUpdate({
      target: [guardrailCounts.orgId, guardrailCounts.day, guardrailCounts.rule],
      set: {
        refused: sql`${guardrailCounts.refused} + ${row.refused}`,
        masked: sql`${guardrailCounts.masked} + ${row.masked}`,
      },
    })
    .run();
}

/** @param since the first day */
export function sumGuardrailCounts(tx: Db, orgId: string, since: string) {
  return tx
    .select({
      rule: guardrailCounts.rule,
      refused: sum(guardrailCounts.refused).mapWith(Number),
      masked: sum(guardrailCounts.masked).mapWith(Number),
    })
    .from(guardrailCounts)
    .where(and(eq(guardrailCounts.orgId, orgId), gte(guardrailCounts.day, since)))
    .groupBy(guardrailCounts.rule)
    .all();
}
