import { and, desc, eq, isNotNull, isNull, type SQL } from "drizzle-orm";
import type { Actor } from "~/core/actor";
import { type Db, preparedDelete, preparedFind, preparedInsert, preparedUpdate } from "~/core/db.server";
import { memories } from "~db/schema";

export type MemoryRow = typeof memories.$inferSelect;

type Owner = Pick<Actor, "orgId" | "userId">;

const isOf = ({ orgId, userId }: Owner) => and(eq(memories.orgId, orgId), eq(memories.userId, userId));
/** About the person, not about a project. */
const isOwn = (owner: Owner) => and(isOf(owner), isNull(memories.folderId));

/** Newest first. */
const list = (tx: Db, ...which: (SQL | undefined)[]): MemoryRow[] =>
  tx
    .select()
    .from(memories)
    .where(and(...which))
    .orderBy(desc(memories.createdAt), desc(memories.id))
    .all();

const isKept = isNotNull(memories.keptAt);
const isProposed = isNull(memories.keptAt);

/** A project's; proposals are only their person's. */
export const listProjectRows = (tx: Db, folderId: string) =>
  list(tx, eq(memories.folderId, folderId), isKept);

export const listMemoryRows = (tx: Db, owner: Owner) => list(tx, isOwn(owner));

export const listKeptRows = (tx: Db, owner: Owner) => list(tx, isOwn(owner), isKept);

/** All that the person hasn't decided on. */
export const listProposedOf = (tx: Db, owner: Owner) => list(tx, isOf(owner), isProposed);

/** Of them those of a conversation, oldest first. */
export const listProposedRows = (tx: Db, owner: Owner, conversationId: string) =>
  list(tx, isOf(owner), isProposed, eq(memories.conversationId, conversationId)).reverse();

/** Anybody's in the organization. */
export const findMemoryRow = preparedFind(memories, "orgId", "id");
export const insertMemory = preparedInsert(memories);
export const updateMemory = preparedUpdate(memories, "id");
export const deleteMemory = preparedDelete(memories, "id");

/** @returns how many */
export const deleteMemoriesOf = (tx: Db, owner: Owner): number =>
  tx.delete(memories).where(isOwn(owner)).run().changes;

/** What a person proposed for projects and nobody decided. */
export function deleteProposalsOf(tx: Db, owner: Owner): void {
  tx.delete(memories)
    .where(and(isOf(owner), isProposed))
    .run();
}
