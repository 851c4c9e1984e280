import { and, eq } from "drizzle-orm";
import { type Db, preparedFind } from "~/core/db.server";
import { chunkSets } from "~db/schema";

export type ChunkSetRow = typeof chunkSets.$inferSelect;

export function findChunkSet(db: Db, orgId: string, key: string): ChunkSetRow | undefined {
  return db
    .select()
    .from(chunkSets)
    .where(and(eq(chunkSets.orgId, orgId), eq(chunkSets.key, key)))
    .get();
}

export function insertChunkSet(db: Db, row: typeof chunkSets.$inferInsert): ChunkSetRow {
  return db.insert(chunkSets).values(row).returning().get();
}

export function listChunkSets(db: Db): ChunkSetRow[] {
  return db.select().from(chunkSets).all();
}

const findSet = preparedFind(chunkSets, "id");

export const findChunkSetKey = (db: Db, id: number): string | undefined => findSet(db, id)?.key;

export function hasChunkSet(db: Db, { id, key }: ChunkSetRow): boolean {
  return findChunkSetKey(db, id) === key;
}

export function setChunkSetKey(db: Db, id: number, key: string): void {
  db.update(chunkSets).set({ key }).where(eq(chunkSets.id, id)).run();
}

export function deleteChunkSet(db: Db, id: number): void {
  db.delete(chunkSets).where(eq(chunkSets.id, id)).run();
}

// Key of a set or space being dropped, so that no new index uses it.
const DROPPED = /^dropping\//;

export const droppedKey = (id: number) => `dropping/${id}`;

export const isDroppedKey = (key: string) => DROPPED.test(key);
