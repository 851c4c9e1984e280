import { and, asc, count, desc, eq, getTableColumns, inArray, isNull, sql } from "drizzle-orm";
import { type Db, preparedDelete, preparedFind, preparedInsert, preparedUpdate } from "~/core/db.server";
import { widgetConversations, widgetMessages, widgets } from "~db/schema";

export type WidgetRow = typeof widgets.$inferSelect;
export type ConversationRow = typeof widgetConversations.$inferSelect;
export type MessageRow = typeof widgetMessages.$inferSelect;

/** Without deleted ones. */
export const listWidgetRows = (tx: Db, orgId: string): WidgetRow[] =>
  tx
    .select()
    .from(widgets)
    .where(and(eq(widgets.orgId, orgId), isNull(widgets.deletedAt)))
    .orderBy(asc(widgets.name))
    .all();

/** Of all organizations, also deleted ones. */
export const listAllWidgets = (tx: Db): WidgetRow[] => tx.select().from(widgets).all();

/** Also deleted ones. */
export const findWidgetRow = preparedFind(widgets, "orgId", "id");
export const findWidgetByToken = preparedFind(widgets, "token");

export const insertWidget = preparedInsert(widgets);
export const updateWidgetRow = preparedUpdate(widgets, "id");
export const deleteWidgetRow = preparedDelete(widgets, "id");

export const findVisitorConversation = preparedFind(widgetConversations, "widgetId", "id");

/** Newest first, each with the beginning of its first message. */
export function listConversationRows(
  tx: Db,
  widgetId: string,
  limit: number,
  after: { updatedAt: number; id: string } | undefined,
) {
  const { id, updatedAt } = widgetConversations;
  const isLater = after && sql`(${updatedAt}, ${id}) < (${after.updatedAt}, ${after.id})`;
  return tx
    .select({
      ...getTableColumns(widgetConversations),
      firstMessage: sql<string>`substr(${widgetMessages.content}, 1, 200)`,
    })
    .from(widgetConversations)
    .innerJoin(widgetMessages, and(eq(widgetMessages.conversationId, id), eq(widgetMessages.position, 1)))
    .where(and(eq(widgetConversations.widgetId, widgetId), isLater))
    .orderBy(desc(updatedAt), desc(id))
    .limit(limit)
    .all();
}

export const countConversationRows = (tx: Db, widgetId: string): number =>
  tx.select({ n: count() }).from(widgetConversations).where(eq(widgetConversations.widgetId, widgetId)).get()
    ?.n ?? 0;

export function putConversation(tx: Db, row: ConversationRow): void {
  const { questions, updatedAt } = row;
  const target = widgetConversations.id;
  tx.insert(widgetConversations)
    .values(row)
    .onConflictDoUpdate({ target, set: { questions, updatedAt } })
    .run();
}

export const deleteConversations = (tx: Db, widgetId: string, ids: readonly string[]): number =>
  tx
    .delete(widgetConversations)
    .where(and(eq(widgetConversations.widgetId, widgetId), inArray(widgetConversations.id, [...ids])))
    .run().changes;

/** The oldest, last written before a time. */
export const listOldConversations = (tx: Db, widgetId: string, before: number, limit: number): string[] =>
  tx
    .select({ id: widgetConversations.id })
    .from(widgetConversations)
    .where(and(eq(widgetConversations.widgetId, widgetId), sql`${widgetConversations.updatedAt} < ${before}`))
    .orderBy(asc(widgetConversations.updatedAt))
    .limit(limit)
    .all()
    .map(({ id }) => id);

export const listMessageRows = (tx: Db, conversationId: string): MessageRow[] =>
  tx
    .select()
    .from(widgetMessages)
    .where(eq(widgetMessages.conversationId, conversationId))
    .orderBy(asc(widgetMessages.position))
    .all();

export const insertMessage = preparedInsert(widgetMessages);
