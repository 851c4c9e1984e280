import { and, desc, eq, gte, inArray, isNotNull, isNull, lt, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
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

interface ListedScope {
  orgId: string;
  /** Who reads: others' ratings have texts only where their author lets admins read them. */
  readerId: string;
  userId: string | undefined;
  rating: "up" | "down" | undefined;
  model: string | undefined;
  messageId?: string | undefined;
}

/** Position in the list. */
export interface RatingKey {
  updatedAt: number;
  messageId: string;
  userId: string;
}

/** Of a text, in characters. */
const READ_LENGTH = 4000;

const textIn = (parts: SQLWrapper) => sql`(
  SELECT substr(group_concat(json_extract(value, '$.text'), ''), 1, ${READ_LENGTH}) FROM json_each(${parts})
  WHERE json_extract(value, '$.type') = 'text')`;

/** Newest first: message, person, rating, time, model, readable, comment, question, answer. */
export function listRatingsQuery(tx: Db, scope: ListedScope, limit: number, after?: RatingKey) {
  const { messageId, userId, rating, comment, shared, updatedAt } = messageFeedback;
  const asked = alias(messages, "asked");
  // An answer may quote documents that admins can't see.
  const readable = sql<number>`(${userId} = ${scope.readerId} OR (${shared} AND ${conversations.restrictedAt} IS NULL))`;
  const ifReadable = (value: SQLWrapper) => sql<string | null>`iif(${readable}, ${value}, NULL)`;
  return tx
    .select({
      messageId,
      userId,
      rating,
      updatedAt,
      model: messages.model,
      readable,
      comment: ifReadable(comment),
      question: ifReadable(textIn(asked.parts)),
      answer: ifReadable(textIn(messages.parts)),
    })
    .from(messageFeedback)
    .innerJoin(messages, eq(messages.id, messageId))
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .leftJoin(asked, eq(asked.id, messages.parentId))
    .where(
      and(
        eq(conversations.orgId, scope.orgId),
        isNull(conversations.deletedAt),
        scope.userId === undefined ? undefined : eq(userId, scope.userId),
        scope.rating === undefined ? undefined : eq(rating, scope.rating),
        scope.model === undefined ? undefined : eq(messages.model, scope.model),
        scope.messageId === undefined ? undefined : eq(messageId, scope.messageId),
        after &&
          sql`(${updatedAt}, ${messageId}, ${userId}) < (${after.updatedAt}, ${after.messageId}, ${after.userId})`,
      ),
    )
    .orderBy(desc(updatedAt), desc(messageId), desc(userId))
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

/** Without `shared` it stays as it is. */
export function putFeedback(
  tx: Db,
  row: Omit<FeedbackRow, "shared"> & { shared?: boolean | undefined },
): void {
  const { rating, comment, shared, updatedAt } = row;
  tx.insert(messageFeedback)
    .values(row)
    .onConflictDoUpdate({
      target: [messageFeedback.messageId, messageFeedback.userId],
      set: { rating, comment, shared, updatedAt },
    })
    .run();
}

export const deleteFeedback = preparedDelete(messageFeedback, "messageId", "userId");
