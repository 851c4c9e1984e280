import { and, desc, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import { type Db, prepared, preparedUpdate } from "~/core/db.server";
import { conversationSummaries, messages } from "~db/schema";
import { ANCESTRY, NO_LIMIT } from "../chat.repo.server";

export type SummaryRow = typeof conversationSummaries.$inferSelect;

/** What models are sent of it. */
export type Summary = Pick<SummaryRow, "messageId" | "text" | "documents">;

export const listSummaries = (tx: Db, conversationId: string): SummaryRow[] =>
  tx
    .select()
    .from(conversationSummaries)
    .where(eq(conversationSummaries.conversationId, conversationId))
    .all();

const newestOnBranch = prepared((db) =>
  db
    .select(getTableColumns(conversationSummaries))
    .from(conversationSummaries)
    .innerJoin(messages, eq(messages.id, conversationSummaries.messageId))
    .where(
      and(
        eq(conversationSummaries.conversationId, sql.placeholder("id")),
        isNull(conversationSummaries.undoneAt),
        sql`${messages.id} IN (${ANCESTRY} SELECT id FROM branch)`,
      ),
    )
    .orderBy(desc(messages.position))
    .limit(1)
    .prepare(),
);

/** The summary in force on the branch that ends with a message. */
export const findSummary = (tx: Db, id: string, from: string | null): SummaryRow | undefined =>
  from === null ? undefined : newestOnBranch(tx).get({ id, from, limit: NO_LIMIT });

/** Replaces the one that was undone at the same message. */
export function putSummary(tx: Db, row: SummaryRow): void {
  tx.insert(conversationSummaries)
    .values(row)
    .onConflictDoUpdate({ target: conversationSummaries.messageId, set: row })
    .run();
}

export const updateSummary = preparedUpdate(conversationSummaries, "messageId");
