import { and, asc, count, desc, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import { type Db, prepared, preparedHas, preparedInsert } from "~/core/db.server";
import { widgetConversations, widgetMessages, widgets } from "~db/schema";

export type WidgetRow = typeof widgets.$inferSelect;
export type ConversationRow = typeof widgetConversations.$inferSelect;
export type MessageRow = typeof widgetMessages.$inferSelect;

const isKept = (orgId: string) => and(eq(widgets.orgId, orgId), isNull(widgets.deletedAt));

export const listWidgetRows = (tx: Db, orgId: string): WidgetRow[] =>
  tx.select().from(widgets).where(isKept(orgId)).orderBy(asc(widgets.name)).all();

export const findWidgetRow = (tx: Db, orgId: string, id: string): WidgetRow | undefined =>
  tx
    .select()
    .from(widgets)
    .where(and(isKept(orgId), eq(widgets.id, id)))
    .get();

const byToken = prepared((db) =>
  db
    .select()
    .from(widgets)
    .where(and(eq(widgets.token, sql.placeholder("token")), isNull(widgets.deletedAt)))
    .prepare(),
);

export const findWidgetByToken = (tx: Db, token: string): WidgetRow | undefined => byToken(tx).get({ token });

export const insertWidget = preparedInsert(widgets);

export function updateWidgetRow(tx: Db, { id, ...change }: WidgetRow): void {
  tx.update(widgets).set(change).where(eq(widgets.id, id)).run();
}

export const findVisitorConversation = (tx: Db, widgetId: string, id: string): ConversationRow | undefined =>
  tx
    .select()
    .from(widgetConversations)
    .where(and(eq(widgetConversations.widgetId, widgetId), eq(widgetConversations.id, id)))
    .get();

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
      conversation: widgetConversations,
      first: sql<string>`substr(${widgetMessages.content}, 1, 200)`,
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

/** Of all organizations, also deleted ones. */
export const listAllWidgets = (tx: Db): WidgetRow[] => tx.select().from(widgets).all();

export function removeDeletedWidget(tx: Db, id: string): void {
  tx.delete(widgets)
    .where(and(eq(widgets.id, id), isNotNull(widgets.deletedAt)))
    .run();
}

export const listMessageRows = (tx: Db, conversationId: string): MessageRow[] =>
  tx
    .select()
    .from(widgetMessages)
    .where(eq(widgetMessages.conversationId, conversationId))
    .orderBy(asc(widgetMessages.position))
    .all();

export const insertMessage = preparedInsert(widgetMessages);

export const hasConversation = preparedHas(widgetConversations, "id");
