import { and, eq, exists, gt, isNotNull, or, sql } from "drizzle-orm";
import {
  type Db,
  prepared,
  preparedDelete,
  preparedFind,
  preparedInsert,
  preparedUpdate,
} from "~/core/db.server";
import { conversationFolderMembers, conversationFolders, conversations, documents } from "~db/schema";
import { belongsTo, type Owner } from "../chat.repo.server";
import type { FolderRole } from "./projects.schema";

export type FolderRow = typeof conversationFolders.$inferSelect;
export interface Membership {
  folder: FolderRow;
  role: FolderRole;
}

const slot = sql.placeholder;
const members = conversationFolderMembers;

export const insertFolder = preparedInsert(conversationFolders);
export const updateFolder = preparedUpdate(conversationFolders, "id");
export const deleteFolderRow = preparedDelete(conversationFolders, "id");
const folderById = preparedFind(conversationFolders, "id");
const memberOf = preparedFind(members, "folderId", "userId");
export const deleteMember = preparedDelete(members, "folderId", "userId");

const ownFolders = prepared((db) =>
  db
    .select()
    .from(conversationFolders)
    .where(and(eq(conversationFolders.orgId, slot("orgId")), eq(conversationFolders.userId, slot("userId"))))
    .prepare(),
);

const joinedFolders = prepared((db) =>
  db
    .select({ folder: conversationFolders, role: members.role })
    .from(members)
    .innerJoin(conversationFolders, eq(conversationFolders.id, members.folderId))
    .where(and(eq(members.userId, slot("userId")), eq(conversationFolders.orgId, slot("orgId"))))
    .prepare(),
);

export const listOwnFolders = (tx: Db, { orgId, userId }: Owner): FolderRow[] =>
  ownFolders(tx).all({ orgId, userId });

/** A person's own and those they are a member of, by name. */
export function listMemberships(tx: Db, { orgId, userId }: Owner): Membership[] {
  const own = listOwnFolders(tx, { orgId, userId }).map((folder) => ({ folder, role: "owner" as const }));
  return [...own, ...joinedFolders(tx).all({ orgId, userId })].sort((a, b) =>
    a.folder.name.localeCompare(b.folder.name, "en-US"),
  );
}

/** The rule for access to a folder. */
export function findMembership(tx: Db, { orgId, userId }: Owner, folderId: string): Membership | undefined {
  const folder = folderById(tx, folderId);
  if (folder?.orgId !== orgId) return undefined;
  if (folder.userId === userId) return { folder, role: "owner" };
  const member = memberOf(tx, folderId, userId);
  return member && { folder, role: member.role };
}

export const listMembers = (tx: Db, folderId: string) =>
  tx
    .select({ id: members.userId, role: members.role })
    .from(members)
    .where(eq(members.folderId, folderId))
    .all();

export function putMember(tx: Db, row: typeof members.$inferInsert): void {
  tx.insert(members)
    .values(row)
    .onConflictDoUpdate({ target: [members.folderId, members.userId], set: { role: row.role } })
    .run();
}

/** Takes a person's conversations out of a folder. */
export function takeOut(tx: Db, owner: Owner, folderId: string): void {
  tx.update(conversations)
    .set({ folderId: null })
    .where(and(eq(conversations.folderId, folderId), belongsTo(owner)))
    .run();
}

/** A person's folders that are more than that. */
export function listProjects(tx: Db, { orgId, userId }: Owner): FolderRow[] {
  const { id } = conversationFolders;
  const file = tx.select({ id: documents.id }).from(documents).where(eq(documents.folderId, id));
  const member = tx.select({ id: members.userId }).from(members).where(eq(members.folderId, id));
  return tx
    .select()
    .from(conversationFolders)
    .where(
      and(
        eq(conversationFolders.orgId, orgId),
        eq(conversationFolders.userId, userId),
        or(
          gt(conversationFolders.instructions, ""),
          isNotNull(conversationFolders.personaId),
          exists(member),
          exists(file),
        ),
      ),
    )
    .all();
}
