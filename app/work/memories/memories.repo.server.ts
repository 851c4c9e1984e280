import { and, asc, desc, eq, isNotNull, isNull } from "drizzle-orm";
import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { memories } from "~db/schema";

export type MemoryRow = typeof memories.$inferSelect;

type Owner = Pick<Actor, "orgId" | "userId">;

const isOwn = ({ orgId, userId }: Owner) => and(eq(memories.orgId, orgId), eq(memories.userId, userId));

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

/** Oldest first. @param conversationId of one conversation; without it, of all */
export const listProposedRows = (tx: Db, owner: Owner, conversationId?: string): MemoryRow[] =>
  tx
    .select()
    .from(memories)
    .where(
      and(
        isOwn(owner),
        isNull(memories.keptAt),
        conversationId === undefined ? undefined : eq(memories.conversationId, conversationId),
      ),
    )
    .orderBy(asc(memories.createdAt), asc(memories.id))
    .all();

export const findMemoryRow = (tx: Db, owner: Owner, id: string): MemoryRow | undefined =>
  tx
    .select()
    .from(memories)
    .where(and(isOwn(owner), eq(memories.id, id)))
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
