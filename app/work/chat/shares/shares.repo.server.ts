import { and, asc, count, desc, eq, exists, isNull, ne, or, sql } from "drizzle-orm";
import { type Db, preparedDelete, preparedFind, preparedInsert, preparedUpdate } from "~/core/db.server";
import {
  conversationLinks,
  conversationReaderGroups,
  conversationReaders,
  conversationShares,
  conversations,
  groupMembers,
} from "~db/schema";
import { isOwn, type Owner } from "../chat.repo.server";

export type ShareRow = typeof conversationShares.$inferSelect;
export type LinkRow = typeof conversationLinks.$inferSelect;

export const findShare = preparedFind(conversationShares, "conversationId");
export const deleteShare = preparedDelete(conversationShares, "conversationId");

export function putShare(tx: Db, row: ShareRow): void {
  const { audience, messageId, updatedAt } = row;
  tx.insert(conversationShares)
    .values(row)
    .onConflictDoUpdate({
      target: conversationShares.conversationId,
      set: { audience, messageId, updatedAt },
    })
    .run();
}

export const listReaderIds = (tx: Db, conversationId: string): string[] =>
  tx
    .select({ userId: conversationReaders.userId })
    .from(conversationReaders)
    .where(eq(conversationReaders.conversationId, conversationId))
    .all()
    .map(({ userId }) => userId);

export const listReaderGroupIds = (tx: Db, conversationId: string): string[] =>
  tx
    .select({ groupId: conversationReaderGroups.groupId })
    .from(conversationReaderGroups)
    .where(eq(conversationReaderGroups.conversationId, conversationId))
    .all()
    .map(({ groupId }) => groupId);

export interface SelectedReaders {
  userIds: readonly string[];
  groupIds: readonly string[];
}

export function replaceReaders(tx: Db, conversationId: string, { userIds, groupIds }: SelectedReaders): void {
  tx.delete(conversationReaders).where(eq(conversationReaders.conversationId, conversationId)).run();
  tx.delete(conversationReaderGroups)
    .where(eq(conversationReaderGroups.conversationId, conversationId))
    .run();
  const people = userIds.map((userId) => ({ conversationId, userId }));
  if (people.length > 0) tx.insert(conversationReaders).values(people).run();
  const groups = groupIds.map((groupId) => ({ conversationId, groupId }));
  if (groups.length > 0) tx.insert(conversationReaderGroups).values(groups).run();
}

/** The rule for access to a shared conversation. */
function isReadableBy(tx: Db, { orgId, userId }: Owner) {
  const directReader = tx
    .select({ id: conversationReaders.userId })
    .from(conversationReaders)
    .where(
      and(
        eq(conversationReaders.conversationId, conversationShares.conversationId),
        eq(conversationReaders.userId, userId),
      ),
    );
  const throughGroup = tx
    .select({ id: conversationReaderGroups.groupId })
    .from(conversationReaderGroups)
    .innerJoin(groupMembers, eq(groupMembers.groupId, conversationReaderGroups.groupId))
    .where(
      and(
        eq(conversationReaderGroups.conversationId, conversationShares.conversationId),
        eq(groupMembers.userId, userId),
      ),
    );
  const hasAccess = or(
    eq(conversationShares.audience, "everyone"),
    exists(directReader),
    exists(throughGroup),
  );
  return and(eq(conversations.orgId, orgId), isNull(conversations.deletedAt), hasAccess);
}

const shared = (tx: Db) =>
  tx
    .select({ share: conversationShares, conversation: conversations })
    .from(conversationShares)
    .innerJoin(conversations, eq(conversations.id, conversationShares.conversationId));

/** Shared by others, the last shared first. */
export function listShared(tx: Db, reader: Owner, limit: number, after?: { sharedAt: number; id: string }) {
  const { updatedAt, conversationId } = conversationShares;
  return shared(tx)
    .where(
      and(
        isReadableBy(tx, reader),
        ne(conversations.userId, reader.userId),
        after && sql`(${updatedAt}, ${conversationId}) < (${after.sharedAt}, ${after.id})`,
      ),
    )
    .orderBy(desc(updatedAt), desc(conversationId))
    .limit(limit)
    .all();
}

export const findShared = (tx: Db, reader: Owner, id: string) =>
  shared(tx)
    .where(and(eq(conversationShares.conversationId, id), or(isReadableBy(tx, reader), isOwn(reader))))
    .get();

export const insertLink = preparedInsert(conversationLinks);
export const updateLink = preparedUpdate(conversationLinks, "id");

export const listLinks = (tx: Db, conversationId: string): LinkRow[] =>
  tx
    .select()
    .from(conversationLinks)
    .where(eq(conversationLinks.conversationId, conversationId))
    .orderBy(asc(conversationLinks.createdAt), asc(conversationLinks.id))
    .all();

interface LinkRange {
  limit: number;
  offset?: number;
  /** Links older than this one. */
  after?: { createdAt: number; id: string } | undefined;
}

export interface OrganizationLinkRow {
  link: LinkRow;
  userId: string;
}

/** Newest first. */
export function listLinksOfOrg(
  tx: Db,
  orgId: string,
  { limit, offset = 0, after }: LinkRange,
): OrganizationLinkRow[] {
  const { createdAt, id } = conversationLinks;
  return tx
    .select({ link: conversationLinks, userId: conversations.userId })
    .from(conversationLinks)
    .innerJoin(conversations, eq(conversations.id, conversationLinks.conversationId))
    .where(
      and(
        eq(conversations.orgId, orgId),
        after && sql`(${createdAt}, ${id}) < (${after.createdAt}, ${after.id})`,
      ),
    )
    .orderBy(desc(createdAt), desc(id))
    .limit(limit)
    .offset(offset)
    .all();
}

export const countLinksOfOrg = (tx: Db, orgId: string): number =>
  tx
    .select({ n: count() })
    .from(conversationLinks)
    .innerJoin(conversations, eq(conversations.id, conversationLinks.conversationId))
    .where(eq(conversations.orgId, orgId))
    .get()?.n ?? 0;

const linked = (tx: Db) =>
  tx
    .select({ link: conversationLinks, conversation: conversations })
    .from(conversationLinks)
    .innerJoin(conversations, eq(conversations.id, conversationLinks.conversationId));

export const findLinkOfOrg = (tx: Db, orgId: string, id: string): LinkRow | undefined =>
  linked(tx)
    .where(and(eq(conversations.orgId, orgId), eq(conversationLinks.id, id)))
    .get()?.link;

export const deleteLink = (tx: Db, conversationId: string, id: string): boolean =>
  tx
    .delete(conversationLinks)
    .where(and(eq(conversationLinks.conversationId, conversationId), eq(conversationLinks.id, id)))
    .run().changes > 0;

export const findLinkByHash = (tx: Db, secretHash: string) =>
  linked(tx)
    .where(and(eq(conversationLinks.secretHash, secretHash), isNull(conversations.deletedAt)))
    .get();
