import { and, desc, eq, inArray, isNull, lt, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { conversations, findEntries, messages } from "~db/schema";

/** Characters of a message that are searched, as the triggers of `find_texts` cut it. */
const SEARCHED = 20_000;

interface Search {
  /** The query of FTS5. */
  match: string;
  limit: number;
  /** Entries before this one. */
  before: number | undefined;
}

/**
 * The query of a person's own messages that match, the newest first: entry, conversation, title, message, role, time,
 * text. The index gives its rows in this order, so that it is left as soon as the page is full.
 */
export function searchMessagesQuery(
  tx: Db,
  { orgId, userId }: { orgId: string; userId: string },
  { match, limit, before }: Search,
): { sql: string; params: unknown[] } {
  const text = sql`(select substr(group_concat(json_extract(value, '$.text'), char(10)), 1, ${SEARCHED})
    from json_each(messages.parts) where json_extract(value, '$.type') = 'text')`;
  return tx
    .select({
      entry: sql`find_entries.id`,
      conversationId: sql`conversations.id`,
      title: sql`conversations.title`,
      messageId: sql`messages.id`,
      role: sql`messages.role`,
      createdAt: sql`messages.created_at`,
      text,
    })
    .from(sql`find_texts f cross join ${findEntries} on ${findEntries.id} = f.rowid
      cross join ${messages} on ${messages.id} = ${findEntries.source}
      cross join ${conversations} on ${conversations.id} = ${messages.conversationId}`)
    .where(
      and(
        sql`find_texts match ${match}`,
        before === undefined ? undefined : lt(sql`f.rowid`, before),
        inArray(findEntries.kind, ["message", "answer"]),
        eq(conversations.orgId, orgId),
        eq(conversations.userId, userId),
        isNull(conversations.comparisonId),
        isNull(conversations.deletedAt),
      ),
    )
    .orderBy(desc(sql`f.rowid`))
    .limit(limit)
    .toSQL();
}
