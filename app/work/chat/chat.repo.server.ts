import { and, asc, count, desc, eq, gt, inArray, isNotNull, isNull, max, or, sql } from "drizzle-orm";
import {
  containsWords,
  type Db,
  prepared,
  preparedInsert,
  preparedUpdate,
  trigramQuery,
  wordsQuery,
} from "~/core/db.server";
import { answerEvents, conversations, messageRenderings, messages, subjectsOf } from "~db/schema";

export type ConversationRow = typeof conversations.$inferSelect;
export type MessageRow = typeof messages.$inferSelect;

export const insertConversation = preparedInsert(conversations);

const conversationById = prepared((db) =>
  db
    .select()
    .from(conversations)
    .where(
      and(
        eq(conversations.id, sql.placeholder("id")),
        eq(conversations.orgId, sql.placeholder("orgId")),
        eq(conversations.userId, sql.placeholder("userId")),
        isNull(conversations.deletedAt),
      ),
    )
    .prepare(),
);

/** Finds a conversation of the user that is not deleted. */
export function findConversation(tx: Db, scope: { orgId: string; userId: string }, id: string) {
  return conversationById(tx).get({ id, orgId: scope.orgId, userId: scope.userId });
}

/** The user's conversation that has a message. */
export const findConversationOfMessage = (
  tx: Db,
  { orgId, userId }: { orgId: string; userId: string },
  messageId: string,
): string | undefined =>
  tx
    .select({ id: conversations.id })
    .from(messages)
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(
      and(
        eq(messages.id, messageId),
        eq(conversations.orgId, orgId),
        eq(conversations.userId, userId),
        isNull(conversations.deletedAt),
      ),
    )
    .get()?.id;

export interface ConversationFilter {
  archived?: boolean | undefined;
  folderId?: string | undefined;
  /** Lists those deleted after this time, whatever else. */
  deletedAfter?: number | undefined;
}

/** Most recently used first, without those of comparisons. */
export function listConversations(
  tx: Db,
  scope: { orgId: string; userId: string },
  limit: number,
  after?: { updatedAt: number; id: string },
  { archived = false, folderId, deletedAfter }: ConversationFilter = {},
): ConversationRow[] {
  return tx
    .select()
    .from(conversations)
    .where(
      and(
        eq(conversations.orgId, scope.orgId),
        eq(conversations.userId, scope.userId),
        isNull(conversations.comparisonId),
        deletedAfter === undefined
          ? and(
              isNull(conversations.deletedAt),
              archived ? isNotNull(conversations.archivedAt) : isNull(conversations.archivedAt),
            )
          : gt(conversations.deletedAt, deletedAfter),
        folderId === undefined ? undefined : eq(conversations.folderId, folderId),
        after && sql`(${conversations.updatedAt}, ${conversations.id}) < (${after.updatedAt}, ${after.id})`,
      ),
    )
    .orderBy(desc(conversations.updatedAt), desc(conversations.id))
    .limit(limit)
    .all();
}

/** Own conversations whose title or messages contain every word, most recently used first. */
export function findConversationsQuery(
  tx: Db,
  scope: { orgId: string; userId: string },
  words: readonly string[],
  limit: number,
): { sql: string; params: unknown[] } {
  const { id, title } = conversations;
  const name = trigramQuery(words);
  const text = wordsQuery(words);
  const inName = and(
    name ? sql`${id} in ${subjectsOf("conversation", "find_names", name)}` : undefined,
    containsWords(title, words),
  );
  const inText = text ? sql`${id} in ${subjectsOf("message", "find_texts", text)}` : undefined;
  return tx
    .select({ id, title })
    .from(conversations)
    .where(
      and(
        eq(conversations.orgId, scope.orgId),
        eq(conversations.userId, scope.userId),
        isNull(conversations.comparisonId),
        isNull(conversations.deletedAt),
        or(inName, inText),
      ),
    )
    .orderBy(desc(conversations.updatedAt), desc(id))
    .limit(limit)
    .toSQL();
}

/** Conversations of comparisons, in column order. */
export function listComparedConversations(
  tx: Db,
  scope: { orgId: string; userId: string },
  comparisonIds: readonly string[],
): ConversationRow[] {
  return tx
    .select()
    .from(conversations)
    .where(
      and(
        inArray(conversations.comparisonId, [...comparisonIds]),
        eq(conversations.orgId, scope.orgId),
        eq(conversations.userId, scope.userId),
        isNull(conversations.deletedAt),
      ),
    )
    .orderBy(sql`${conversations}.rowid`)
    .all();
}

export const updateConversation = preparedUpdate(conversations, "id");

const insertRow = preparedInsert(messages);
const activeMessage = prepared((db) =>
  db
    .select({ id: conversations.activeMessageId })
    .from(conversations)
    .where(eq(conversations.id, sql.placeholder("id")))
    .prepare(),
);
const activate = prepared((db) =>
  db
    .update(conversations)
    .set({ activeMessageId: sql`${sql.placeholder("messageId")}` })
    .where(eq(conversations.id, sql.placeholder("id")))
    .prepare(),
);

/** Appends a message to the active branch, or to `parentId` (null: as the first message). */
export function insertMessage(tx: Db, row: typeof messages.$inferInsert): void {
  const id = row.conversationId;
  const parentId = row.parentId === undefined ? (activeMessage(tx).get({ id })?.id ?? null) : row.parentId;
  insertRow(tx, { ...row, parentId });
  activate(tx).run({ id, messageId: row.id });
}

const lastPosition = prepared((db) =>
  db
    .select({ last: max(messages.position) })
    .from(messages)
    .where(eq(messages.conversationId, sql.placeholder("id")))
    .prepare(),
);

export function nextPosition(tx: Db, conversationId: string): number {
  return (lastPosition(tx).get({ id: conversationId })?.last ?? 0) + 1;
}

export const countMessages = (tx: Db, conversationId: string): number =>
  messageCount(tx).get({ id: conversationId })?.n ?? 0;

const messageCount = prepared((db) =>
  db
    .select({ n: count() })
    .from(messages)
    .where(eq(messages.conversationId, sql.placeholder("id")))
    .prepare(),
);

export const updateMessage = preparedUpdate(messages, "id");

/** Stored renderings of one version. */
export function listRenderings(tx: Db, messageIds: readonly string[], version: number) {
  return tx
    .select({
      messageId: messageRenderings.messageId,
      json: messageRenderings.trees,
      nodes: messageRenderings.nodes,
    })
    .from(messageRenderings)
    .where(and(inArray(messageRenderings.messageId, [...messageIds]), eq(messageRenderings.version, version)))
    .all();
}

/** Stores a rendering unless its message was deleted. */
export function putRendering(tx: Db, row: typeof messageRenderings.$inferInsert): void {
  const message = tx.select({ id: messages.id }).from(messages).where(eq(messages.id, row.messageId)).get();
  if (!message) return;
  const { version, trees, nodes } = row;
  tx.insert(messageRenderings)
    .values(row)
    .onConflictDoUpdate({ target: messageRenderings.messageId, set: { version, trees, nodes } })
    .run();
}

/** Answers still marked as streaming, with their conversations. */
export function listStreaming(tx: Db) {
  return tx
    .select({ message: messages, conversation: conversations })
    .from(messages)
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(eq(messages.status, "streaming"))
    .all();
}

export function listEventGroups(tx: Db, messageId: string, afterId: number) {
  return eventGroups(tx).all({ messageId, afterId });
}

const eventGroups = prepared((db) =>
  db
    .select()
    .from(answerEvents)
    .where(
      and(
        eq(answerEvents.messageId, sql.placeholder("messageId")),
        gt(answerEvents.lastId, sql.placeholder("afterId")),
      ),
    )
    .orderBy(asc(answerEvents.firstId))
    .prepare(),
);

export const insertEvents = preparedInsert(answerEvents);

export function appendEvents(tx: Db, messageId: string, lastId: number, chunks: readonly unknown[]): void {
  if (chunks.length === 0) return;
  const events = JSON.stringify(chunks);
  insertEvents(tx, { messageId, firstId: lastId + 1, lastId: lastId + chunks.length, events });
}

/** Deletes events of answers that ended before a time. */
export function deleteOldEvents(tx: Db, finishedBefore: number): void {
  // From the few events to their messages; the other way would read every message.
  tx.run(
    sql`DELETE FROM ${answerEvents} WHERE EXISTS (SELECT 1 FROM ${messages} WHERE ${messages.id} = ${answerEvents.messageId} AND ${messages.finishedAt} < ${finishedBefore})`,
  );
}
