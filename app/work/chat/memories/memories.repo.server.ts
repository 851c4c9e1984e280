import { and, asc, desc, eq, isNotNull, isNull } from "drizzle-orm";
import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { memories } from "~db/schema";

export type MemoryRow = typeof memories.$inferSelect;

type Owner = Pick<Actor, "orgId" | "userId">;

const isOf = ({ orgId, userId }: Owner) => and(eq(memories.orgId, orgId), eq(memories.userId, userId));
/** About the person, not about a project. */
const isOwn = (owner: Owner) => and(isOf(owner), isNull(memories.folderId));

/** A project's, newest first; proposals are only their person's. */
export const listProjectRows = (tx: Db, folderId: string): MemoryRow[] =>
  tx
    .select()
    .from(memories)
    .where(and(eq(memories.folderId, folderId), isNotNull(memories.keptAt)))
    .orderBy(desc(memories.createdAt), desc(memories.id))
    .all();

/** Newest first. */
export const listMemoryRows = (tx: Db, owner: Owner): MemoryRow[] =>
  tx.select().from(memories).where(isOwn(owner)).orderBy(desc(memories.createdAt), desc(memories.id)).all();

export const listKeptRows = (tx: Db, owner: Owner): MemoryRow[] =>
  tx
    .select()
    .from(memories)
    .where(and(isOwn(owner), isNotNull(memories.keptAt)))
    .orderBy(desc(memories.createdAt), desc(memories.id))
    .all();

/** The person's, oldest first. */
export const listProposedRows = (tx: Db, owner: Owner, conversationId: string): MemoryRow[] =>
  tx
    .select()
    .from(memories)
    .where(and(isOf(owner), isNull(memories.keptAt), eq(memories.conversationId, conversationId)))
    .orderBy(asc(memories.createdAt), asc(memories.id))
    .all();

/** All that the person hasn't decided on, newest first. */
export const listProposedOf = (tx: Db, owner: Owner): MemoryRow[] =>
  tx
    .select()
    .from(memories)
    .where(and(isOf(owner), isNull(memories.keptAt)))
    .orderBy(desc(memories.createdAt), desc(memories.id))
    .all();

/** Anybody's in the organization. */
export const findMemoryRow = (tx: Db, orgId: string, id: string): MemoryRow | undefined =>
  tx
    .select()
    .from(memories)
    .where(and(eq(memories.orgId, orgId), eq(memories.id, id)))
    .get();

export function insertMemory(tx: Db, row: MemoryRow): void {
  tx.insert(memories).values(row).run();
}

export function updateMemory(tx: Db, { id, ...row }: MemoryRow): void {
  tx.update(memories).set(row).where(eq(memories.id, id)).run();
}

export function deleteMemory(tx: Db, id: string): void {
  tx.delete(memories).where(eq(memories.id, id)).run();
}

/** @returns how many */
export const deleteMemoriesOf = (tx: Db, owner: Owner): number =>
  tx.delete(memories).where(isOwn(owner)).run().changes;

/** What a person proposed for projects and nobody decided. */
export function deleteProposalsOf(tx: Db, owner: Owner): void {
  tx.delete(memories)
    .where(and(isOf(owner), isNull(memories.keptAt)))
    .run();
}
