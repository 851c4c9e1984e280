import { and, eq, gte, inArray, isNotNull, lt, sql } from "drizzle-orm";
import { type Db, preparedDelete } from "~/core/db.server";
import { conversations, messageFeedback, messages } from "~db/schema";

interface RatingScope {
  orgId: string;
  /** The only person whose ratings count; undefined for everyone. */
  userId: string | undefined;
  model: string | undefined;
  from: number;
  before: number;
}

/** Ratings by model, most rated first: model, good, bad. */
export function ratingsQuery(tx: Db, { orgId, userId, model, from, before }: RatingScope, limit: number) {
  const { rating, updatedAt } = messageFeedback;
  const countOf = (value: "up" | "down") => sql<number>`sum(${rating} = ${value})`;
  return tx
    .select({ model: messages.model, up: countOf("up"), down: countOf("down") })
    .from(messageFeedback)
    .innerJoin(messages, eq(messages.id, messageFeedback.messageId))
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(
      and(
        gte(updatedAt, from),
        lt(updatedAt, before),
        eq(conversations.orgId, orgId),
        isNotNull(messages.model),
        userId === undefined ? undefined : eq(messageFeedback.userId, userId),
        model === undefined ? undefined : eq(messages.model, model),
      ),
    )
    .groupBy(messages.model)
    .orderBy(sql`count(*) DESC`, messages.model)
    .limit(limit)
    .toSQL();
}

type FeedbackRow = typeof messageFeedback.$inferSelect;

export function listFeedback(tx: Db, userId: string, messageIds: readonly string[]): FeedbackRow[] {
  return tx
    .select()
    .from(messageFeedback)
    .where(and(eq(messageFeedback.userId, userId), inArray(messageFeedback.messageId, [...messageIds])))
    .all();
}

export function putFeedback(tx: Db, row: FeedbackRow): void {
  const { rating, comment, updatedAt } = row;
  tx.insert(messageFeedback)
    .values(row)
    .onConflictDoUpdate({
      target: [messageFeedback.messageId, messageFeedback.userId],
      set: { rating, comment, updatedAt },
    })
    .run();
}

export const deleteFeedback = preparedDelete(messageFeedback, "messageId", "userId");
