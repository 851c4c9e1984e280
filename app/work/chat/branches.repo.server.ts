import { and, asc, eq, inArray, isNull, or, sql } from "drizzle-orm";
import { type Db, prepared } from "~/core/db.server";
import { conversations, messageFeedback, messages } from "~db/schema";

type MessageRow = typeof messages.$inferSelect;
type Owner = Pick<typeof conversations.$inferSelect, "orgId" | "userId">;

/**
 * A branch from a message back to the first, newest first. `INDEXED BY` avoids reading the table, whose rows hold whole
 * answers.
 */
const ANCESTRY = sql`
  WITH RECURSIVE branch(id, parent_id, position, depth) AS (
    SELECT id, parent_id, position, 0 FROM messages INDEXED BY messages_ancestry WHERE id = ${sql.placeholder("from")}
    UNION ALL
    SELECT m.id, m.parent_id, m.position, depth + 1
    FROM branch JOIN messages m INDEXED BY messages_ancestry ON m.id = branch.parent_id
    WHERE depth + 1 < ${sql.placeholder("limit")} AND m.position >= ${sql.placeholder("floor")}
  )`;

const branchRows = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(sql`${messages.id} IN (${ANCESTRY} SELECT id FROM branch)`)
    .orderBy(asc(messages.position))
    .prepare(),
);

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/**
 * The branch that ends with a message, oldest first. Reads only the rows it returns.
 * @param from the last message; a conversation's active branch ends with its `activeMessageId`
 * @param limit maximum number of messages, counted from the end
 */
export function listBranch(tx: Db, from: string | null, limit = NO_LIMIT): MessageRow[] {
  return from === null ? [] : branchRows(tx).all({ from, limit, floor: 0 });
}

/** Titles of a person's conversations that begin with a text. */
export const listTitles = (tx: Db, { orgId, userId }: Owner, beginning: string): string[] =>
  tx
    .select({ title: conversations.title })
    .from(conversations)
    .where(
      and(
        eq(conversations.orgId, orgId),
        eq(conversations.userId, userId),
        sql`substr(${conversations.title}, 1, length(${beginning})) = ${beginning}`,
      ),
    )
    .all()
    .map(({ title }) => title);

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
  const rows = tx.all<{ id: string }>(sql`
    WITH RECURSIVE branch(id, parent_id, depth) AS (
      SELECT id, parent_id, 0 FROM messages INDEXED BY messages_ancestry WHERE id = ${from}
      UNION ALL
      SELECT m.id, m.parent_id, depth + 1
      FROM branch JOIN messages m INDEXED BY messages_ancestry ON m.id = branch.parent_id
      WHERE m.position >= ${after.position}
    )
    SELECT id FROM branch ORDER BY depth DESC`);
  if (rows[0]?.id !== after.id) return undefined;
  return rows.slice(1).map(({ id }) => id);
}

export function countBranch(tx: Db, from: string): number {
  const row = tx.get<{ n: number }>(sql`
    WITH RECURSIVE branch(parent_id) AS (
      SELECT parent_id FROM messages INDEXED BY messages_ancestry WHERE id = ${from}
      UNION ALL
      SELECT m.parent_id FROM branch JOIN messages m INDEXED BY messages_ancestry ON m.id = branch.parent_id
    )
    SELECT count(*) AS n FROM branch`);
  return row.n;
}

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

const messageById = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.id, sql.placeholder("id")),
        eq(messages.conversationId, sql.placeholder("conversationId")),
      ),
    )
    .prepare(),
);

const messageStatus = prepared((db) =>
  db
    .select({ status: messages.status })
    .from(messages)
    .where(eq(messages.id, sql.placeholder("id")))
    .prepare(),
);

export const findMessageStatus = (tx: Db, id: string | null): MessageRow["status"] | undefined =>
  id === null ? undefined : messageStatus(tx).get({ id })?.status;

export function findMessage(tx: Db, conversationId: string, id: string): MessageRow | undefined {
  return messageById(tx).get({ conversationId, id });
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

export function setActiveMessage(tx: Db, conversationId: string, messageId: string): void {
  tx.update(conversations)
    .set({ activeMessageId: messageId })
    .where(eq(conversations.id, conversationId))
    .run();
}

export type FeedbackRow = typeof messageFeedback.$inferSelect;

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

export function deleteFeedback(tx: Db, messageId: string, userId: string): void {
  tx.delete(messageFeedback)
    .where(and(eq(messageFeedback.messageId, messageId), eq(messageFeedback.userId, userId)))
    .run();
}
