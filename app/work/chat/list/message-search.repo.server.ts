import { and, desc, eq, inArray, isNull, lt, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { conversations, findEntries, messages } from "~db/schema";

/** Characters indexed per message, as in the triggers of `find_texts`. */
const INDEXED_LENGTH = 20_000;

interface Search {
  match: string;
  limit: number;
  /** Entries before this one. */
  before: number | undefined;
}

/** Own matching messages, newest first. The index has this order, so the query stops once the page is full. */
export function searchMessagesQuery(
  tx: Db,
  { orgId, userId }: { orgId: string; userId: string },
  { match, limit, before }: Search,
): { sql: string; params: unknown[] } {
  const text = sql`(select substr(group_concat(json_extract(value, '$.text'), char(10)), 1, ${INDEXED_LENGTH})
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
