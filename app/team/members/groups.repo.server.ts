import { and, asc, eq, inArray } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { groupMembers, groups } from "~db/schema";

export type GroupRow = typeof groups.$inferSelect;

export function listGroupRows(tx: Db, orgId: string): GroupRow[] {
  return tx.select().from(groups).where(eq(groups.orgId, orgId)).orderBy(asc(groups.name)).all();
}

export function findGroup(tx: Db, orgId: string, id: string): GroupRow | undefined {
  return tx
    .select()
    .from(groups)
    .where(and(eq(groups.orgId, orgId), eq(groups.id, id)))
    .get();
}

export function insertGroup(tx: Db, row: GroupRow): void {
  tx.insert(groups).values(row).run();
}

export function renameGroupRow(tx: Db, id: string, name: string): void {
  tx.update(groups).set({ name }).where(eq(groups.id, id)).run();
}

export function deleteGroupRow(tx: Db, id: string): void {
  tx.delete(groups).where(eq(groups.id, id)).run();
}

export function listMemberships(tx: Db, groupIds: readonly string[]): Map<string, string[]> {
  const rows = tx
    .select()
    .from(groupMembers)
    .where(inArray(groupMembers.groupId, [...groupIds]))
    .all();
  return new Map(
    groupIds.map((id) => [id, rows.flatMap(({ groupId, userId }) => (groupId === id ? [userId] : []))]),
  );
}

export function insertMemberships(tx: Db, groupId: string, userIds: readonly string[]): void {
  for (const userId of userIds) tx.insert(groupMembers).values({ groupId, userId }).run();
}

export function deleteSomeMemberships(tx: Db, groupId: string, userIds: readonly string[]): void {
  tx.delete(groupMembers)
    .where(and(eq(groupMembers.groupId, groupId), inArray(groupMembers.userId, [...userIds])))
    .run();
}

export function deleteMemberships(tx: Db, userId: string): void {
  tx.delete(groupMembers).where(eq(groupMembers.userId, userId)).run();
}
