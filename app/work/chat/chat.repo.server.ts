import { and, asc, count, eq, exists, gt, inArray, isNull, max, not, or, sql } from "drizzle-orm";
import { type Db, prepared, preparedFind, preparedInsert, preparedUpdate } from "~/core/db.server";
import { answerEvents, conversations, messageRenderings, messages } from "~db/schema";

export type ConversationRow = typeof conversations.$inferSelect;
export type MessageRow = typeof messages.$inferSelect;

export interface Owner {
  orgId: string;
  userId: string;
}

export const belongsTo = ({ orgId, userId }: Owner) =>
  and(eq(conversations.orgId, orgId), eq(conversations.userId, userId));

/** Matches a person's conversations that aren't deleted. */
export const isOwn = (owner: Owner) => and(belongsTo(owner), isNull(conversations.deletedAt));

/** Matches conversations without an answer of these kinds: one that is ending still needs its rows. */
export function isIdle(tx: Db, unfinished: MessageRow["status"][] = ["streaming"]) {
  const rows = tx
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.conversationId, conversations.id), inArray(messages.status, unfinished)));
  return not(exists(rows));
}

export const insertConversation = preparedInsert(conversations);
export const updateConversation = preparedUpdate(conversations, "id");
const conversationById = preparedFind(conversations, "id");

export function findConversation(tx: Db, { orgId, userId }: Owner, id: string): ConversationRow | undefined {
  const row = conversationById(tx, id);
  return row?.orgId === orgId && row.userId === userId && row.deletedAt === null ? row : undefined;
}

const messageById = preparedFind(messages, "id");

export function findConversationOfMessage(tx: Db, owner: Owner, messageId: string): string | undefined {
  const message = messageById(tx, messageId);
  return message && findConversation(tx, owner, message.conversationId)?.id;
}

export const listComparedConversations = (
  tx: Db,
  owner: Owner,
  comparisonIds: readonly string[],
): ConversationRow[] =>
  tx
    .select()
    .from(conversations)
    .where(and(inArray(conversations.comparisonId, [...comparisonIds]), isOwn(owner)))
    .orderBy(sql`${conversations}.rowid`)
    .all();

const insertRow = preparedInsert(messages);
export const updateMessage = preparedUpdate(messages, "id");
export const findMessage = preparedFind(messages, "conversationId", "id");

/** Appends a message to the active branch, or to `parentId` (null: as the first message). */
export function insertMessage(tx: Db, row: typeof messages.$inferInsert): void {
  const { conversationId, parentId = conversationById(tx, conversationId)?.activeMessageId ?? null } = row;
  insertRow(tx, { ...row, parentId });
  updateConversation(tx, conversationId, { activeMessageId: row.id });
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

const messageCount = prepared((db) =>
  db
    .select({ n: count() })
    .from(messages)
    .where(eq(messages.conversationId, sql.placeholder("id")))
    .prepare(),
);

export const countMessages = (tx: Db, conversationId: string): number =>
  messageCount(tx).get({ id: conversationId })?.n ?? 0;

const waitingIn = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(and(eq(messages.status, "waiting"), eq(messages.conversationId, sql.placeholder("id"))))
    .prepare(),
);

export const listWaiting = (tx: Db, conversationId: string): MessageRow[] =>
  waitingIn(tx).all({ id: conversationId });

/** A person's conversations whose answer waits for their approval, the longest first. */
export const listWaitingConversations = (tx: Db, owner: Owner, limit: number) =>
  tx
    .select({ id: conversations.id, title: conversations.title, since: messages.createdAt })
    .from(messages)
    .innerJoin(conversations, eq(conversations.activeMessageId, messages.id))
    .where(and(eq(messages.status, "waiting"), isOwn(owner)))
    .orderBy(asc(messages.createdAt))
    .limit(limit)
    .all();

const messageStatus = prepared((db) =>
  db
    .select({ status: messages.status })
    .from(messages)
    .where(eq(messages.id, sql.placeholder("id")))
    .prepare(),
);

export const findMessageStatus = (tx: Db, id: string | null): MessageRow["status"] | undefined =>
  id === null ? undefined : messageStatus(tx).get({ id })?.status;

export const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/**
 * A branch from a message back to the first, newest first. `INDEXED BY` avoids reading the table, whose rows hold whole
 * answers.
 * @param floor the lowest position that is read
 */
const ancestry = (from: unknown, limit: unknown, floor: unknown) => sql`
  WITH RECURSIVE branch(id, parent_id, position, depth) AS (
    SELECT id, parent_id, position, 0 FROM messages INDEXED BY messages_ancestry WHERE id = ${from}
    UNION ALL
    SELECT m.id, m.parent_id, m.position, depth + 1
    FROM branch JOIN messages m INDEXED BY messages_ancestry ON m.id = branch.parent_id
    WHERE depth + 1 < ${limit} AND m.position >= ${floor}
  )`;

/** By the placeholders `from` and `limit`. */
export const ANCESTRY = ancestry(sql.placeholder("from"), sql.placeholder("limit"), 0);

const branchRows = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(sql`${messages.id} IN (${ANCESTRY} SELECT id FROM branch)`)
    .orderBy(asc(messages.position))
    .prepare(),
);

/**
 * The branch that ends with a message, oldest first. Reads only the rows it returns.
 * @param from the last message; a conversation's active branch ends with its `activeMessageId`
 * @param limit maximum number of messages, counted from the end
 */
export function listBranch(tx: Db, from: string | null, limit = NO_LIMIT): MessageRow[] {
  return from === null ? [] : branchRows(tx).all({ from, limit });
}

export const listAllBranches = (tx: Db, conversationId: string): MessageRow[] =>
  tx
    .select()
    .from(messages)
    .where(eq(messages.conversationId, conversationId))
    .orderBy(asc(messages.position))
    .all();

/**
 * The ids of the messages between a message and the end of its branch.
 * @param from the branch's last message
 * @param after the message before the first one
 * @returns oldest first, or undefined if `after` isn't on the branch
 */
export function listBranchAfter(
  tx: Db,
  from: string,
  after: Pick<MessageRow, "id" | "position">,
): string[] | undefined {
  const branch = ancestry(from, NO_LIMIT, after.position);
  const rows = tx.all<{ id: string }>(sql`${branch} SELECT id FROM branch ORDER BY depth DESC`);
  if (rows[0]?.id !== after.id) return undefined;
  return rows.slice(1).map(({ id }) => id);
}

export const countBranch = (tx: Db, from: string): number =>
  tx.get<{ n: number }>(sql`${ancestry(from, NO_LIMIT, 0)} SELECT count(*) AS n FROM branch`).n;

/** The end of the most recently continued branch through a message. */
export function branchEnd(tx: Db, conversationId: string, messageId: string): string {
  const row = tx.get<{ id: string } | undefined>(sql`
    WITH RECURSIVE later(id, position) AS (
      SELECT id, position FROM messages INDEXED BY messages_ancestry WHERE id = ${messageId}
      UNION ALL
      SELECT m.id, m.position FROM later
      JOIN messages m INDEXED BY messages_children ON m.conversation_id = ${conversationId} AND m.parent_id = later.id
    )
    SELECT id FROM later ORDER BY position DESC LIMIT 1`);
  return row?.id ?? messageId;
}

type Sibling = Pick<MessageRow, "id" | "role" | "parentId">;

/** Siblings of messages, including themselves, oldest first. */
export function listVariants(tx: Db, conversationId: string, of: readonly Sibling[]): Map<string, string[]> {
  const parents = [...new Set(of.flatMap(({ parentId }) => parentId ?? []))];
  const first = of.some(({ parentId }) => parentId === null);
  const rows = tx
    .select({ id: messages.id, role: messages.role, parentId: messages.parentId })
    .from(messages)
    .where(
      and(
        eq(messages.conversationId, conversationId),
        or(inArray(messages.parentId, parents), first ? isNull(messages.parentId) : undefined),
      ),
    )
    .orderBy(asc(messages.position))
    .all();
  const keyOf = ({ role, parentId }: Sibling) => `${role} ${parentId}`;
  const siblings = new Map<string, string[]>();
  for (const row of rows) siblings.set(keyOf(row), [...(siblings.get(keyOf(row)) ?? []), row.id]);
  return new Map(of.map((sibling) => [sibling.id, siblings.get(keyOf(sibling)) ?? [sibling.id]]));
}

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

export const listEventGroups = (tx: Db, messageId: string, afterId: number) =>
  eventGroups(tx).all({ messageId, afterId });

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
