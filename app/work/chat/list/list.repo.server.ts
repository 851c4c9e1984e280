import { and, desc, eq, gt, inArray, isNotNull, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { now } from "~/core/clock.server";
import { type Db, nameHasWords, prepared, wordsQuery } from "~/core/db.server";
import { MINUTE } from "~/core/durations";
import type { FindWord } from "~/core/language/find-words.shared";
import { conversations, findEntries, messages, subjectsOf } from "~db/schema";
import { belongsTo, type ConversationRow, isIdle, isOwn, type Owner } from "../chat.repo.server";
import { UNDO_TIME } from "./list.schema";

const { id, title, updatedAt, deletedAt, pinnedAt, archivedAt } = conversations;
const isStandalone = isNull(conversations.comparisonId);

export interface ConversationFilter {
  archived?: boolean | undefined;
  folderId?: string | undefined;
  /** Lists those deleted after this time, whatever else. */
  deletedAfter?: number | undefined;
}

/** Most recently used first, without those of comparisons. */
export function listConversations(
  tx: Db,
  owner: Owner,
  limit: number,
  after?: { updatedAt: number; id: string },
  { archived = false, folderId, deletedAfter }: ConversationFilter = {},
): ConversationRow[] {
  const isListed = and(isNull(deletedAt), archived ? isNotNull(archivedAt) : isNull(archivedAt));
  return tx
    .select()
    .from(conversations)
    .where(
      and(
        belongsTo(owner),
        isStandalone,
        deletedAfter === undefined ? isListed : gt(deletedAt, deletedAfter),
        folderId === undefined ? undefined : eq(conversations.folderId, folderId),
        after && sql`(${updatedAt}, ${id}) < (${after.updatedAt}, ${after.id})`,
      ),
    )
    .orderBy(desc(updatedAt), desc(id))
    .limit(limit)
    .all();
}

/** Own conversations whose title or messages contain every word, most recently used first. */
export function findConversationsQuery(
  tx: Db,
  owner: Owner,
  words: readonly FindWord[],
  limit: number,
): { sql: string; params: unknown[] } {
  const text = wordsQuery(words);
  const inName = nameHasWords(
    words,
    title,
    (query) => sql`${id} in ${subjectsOf("conversation", "find_names", query)}`,
  );
  const inText = text ? sql`${id} in ${subjectsOf("message", "find_texts", text)}` : undefined;
  return tx
    .select({ id, title })
    .from(conversations)
    .where(and(isOwn(owner), isStandalone, or(inName, inText)))
    .orderBy(desc(updatedAt), desc(id))
    .limit(limit)
    .toSQL();
}

export const listTitles = (tx: Db, owner: Owner, beginning: string): string[] =>
  tx
    .select({ title })
    .from(conversations)
    .where(and(belongsTo(owner), sql`substr(${title}, 1, length(${beginning})) = ${beginning}`))
    .all()
    .map((row) => row.title);

const preparedNavigation = (which: SQL) =>
  prepared((db) =>
    db
      .select({
        id,
        title,
        updatedAt,
        pinnedAt,
        folderId: conversations.folderId,
        unreadAt: conversations.unreadAt,
        status: messages.status,
      })
      .from(conversations)
      .leftJoin(messages, eq(messages.id, conversations.activeMessageId))
      .where(
        and(
          eq(conversations.orgId, sql.placeholder("orgId")),
          eq(conversations.userId, sql.placeholder("userId")),
          isNull(deletedAt),
          isStandalone,
          isNull(archivedAt),
          which,
        ),
      )
      .orderBy(desc(updatedAt), desc(id))
      .limit(sql.placeholder("limit"))
      .prepare(),
  );

const pinnedOnes = preparedNavigation(sql`${pinnedAt} is not null`);
const newestOnes = preparedNavigation(sql`${pinnedAt} is null and ${conversations.folderId} is null`);
const filedOnes = preparedNavigation(sql`${conversations.folderId} = ${sql.placeholder("folder")}`);

/** Pinned and recent conversations, and those of some folders, each up to the limit. */
export function listForNavigation(
  tx: Db,
  { orgId, userId }: Owner,
  folders: readonly string[],
  limit: number,
) {
  const values = { orgId, userId, limit };
  return {
    pinned: pinnedOnes(tx).all(values),
    newest: newestOnes(tx).all(values),
    filed: folders.flatMap((folder) => filedOnes(tx).all({ ...values, folder })),
  };
}

export const listDeletedAt = (tx: Db, owner: Owner, at: number): string[] =>
  tx
    .select({ id })
    .from(conversations)
    .where(and(belongsTo(owner), eq(deletedAt, at)))
    .all()
    .map((row) => row.id);

export const findDeleted = (tx: Db, owner: Owner, conversationId: string) =>
  tx
    .select({ deletedAt })
    .from(conversations)
    .where(and(eq(id, conversationId), belongsTo(owner), isNotNull(deletedAt)))
    .get();

/** Counts the time from now on of what a clock ahead deleted. */
export function mendDeletions(tx: Db, at: number): void {
  tx.update(conversations).set({ deletedAt: at }).where(gt(deletedAt, at)).run();
}

/** Time in which a conversation that is written in batches must be whole, in ms. */
const WRITING_TIME = 10 * MINUTE;

/** `deletedAt` of a conversation while it is written: it can't be restored, and goes if it is left unfinished. */
export const whileWritten = (): number => now() - UNDO_TIME;

const removable = () => lt(deletedAt, now() - UNDO_TIME - WRITING_TIME);

export const hasRemovable = (tx: Db): boolean =>
  tx.select({ id }).from(conversations).where(removable()).get() !== undefined;

export const listRemovable = (tx: Db, limit: number): string[] =>
  tx
    .select({ id })
    .from(conversations)
    .where(and(removable(), isIdle(tx)))
    .limit(limit)
    .all()
    .map((row) => row.id);

/** With its messages and events. */
export function removeConversation(tx: Db, conversationId: string): void {
  tx.delete(conversations)
    .where(and(eq(id, conversationId), removable()))
    .run();
}

/** The beginning of a message's text, which the triggers of `find_texts` index. */
export const messageText = sql`(select substr(group_concat(json_extract(value, '$.text'), char(10)), 1, 20000)
  from json_each(messages.parts) where json_extract(value, '$.type') = 'text')`;

/** Own matching messages, newest first. The index has this order, so the query stops once the page is full. */
export function searchMessagesQuery(
  tx: Db,
  owner: Owner,
  { match, limit, before }: { match: string; limit: number; before: number | undefined },
): { sql: string; params: unknown[] } {
  return tx
    .select({
      entry: sql`find_entries.id`,
      conversationId: sql`conversations.id`,
      title: sql`conversations.title`,
      messageId: sql`messages.id`,
      role: sql`messages.role`,
      createdAt: sql`messages.created_at`,
      text: messageText,
    })
    .from(sql`find_texts f cross join ${findEntries} on ${findEntries.id} = f.rowid
      cross join ${messages} on ${messages.id} = ${findEntries.source}
      cross join ${conversations} on ${conversations.id} = ${messages.conversationId}`)
    .where(
      and(
        sql`find_texts match ${match}`,
        before === undefined ? undefined : lt(sql`f.rowid`, before),
        inArray(findEntries.kind, ["message", "answer"]),
        isOwn(owner),
        isStandalone,
      ),
    )
    .orderBy(desc(sql`f.rowid`))
    .limit(limit)
    .toSQL();
}
