import { asc, eq, inArray, sql } from "drizzle-orm";
import {
  type Db,
  prepared,
  preparedDelete,
  preparedFind,
  preparedInsert,
  preparedUpdate,
} from "~/core/db.server";
import { groupMembers, groups } from "~db/schema";

export type GroupRow = typeof groups.$inferSelect;

export function listGroupRows(tx: Db, orgId: string): GroupRow[] {
  return tx.select().from(groups).where(eq(groups.orgId, orgId)).orderBy(asc(groups.name)).all();
}

export const findGroup = preparedFind(groups, "orgId", "id");
export const insertGroup = preparedInsert(groups);
export const updateGroupRow = preparedUpdate(groups, "id");
export const deleteGroupRow = preparedDelete(groups, "id");

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

const ofUser = prepared((db) =>
  db
    .select({ id: groupMembers.groupId })
    .from(groupMembers)
    .where(eq(groupMembers.userId, sql.placeholder("userId")))
    .prepare(),
);

export const listGroupIdsOf = (tx: Db, userId: string): string[] =>
  ofUser(tx)
    .all({ userId })
    .map(({ id }) => id);

export const insertMembership = preparedInsert(groupMembers);
export const deleteMembership = preparedDelete(groupMembers, "groupId", "userId");
export const deleteMembershipsOf = preparedDelete(groupMembers, "userId");
