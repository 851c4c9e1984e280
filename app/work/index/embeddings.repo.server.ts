import { and, eq, inArray, sql } from "drizzle-orm";
import { type Db, prepared, preparedDelete, preparedFind, preparedHas } from "~/core/db.server";
import { chunks, documents, embeddingSpaces, embeddings } from "~db/schema";

export type SpaceRow = typeof embeddingSpaces.$inferSelect;

const slot = sql.placeholder;

export function findSpace(db: Db, orgId: string, key: string): SpaceRow | undefined {
  return db
    .select()
    .from(embeddingSpaces)
    .where(and(eq(embeddingSpaces.orgId, orgId), eq(embeddingSpaces.key, key)))
    .get();
}

export function insertSpace(db: Db, row: Omit<SpaceRow, "id">): SpaceRow {
  return db.insert(embeddingSpaces).values(row).returning().get();
}

export function listSpaces(db: Db): SpaceRow[] {
  return db.select().from(embeddingSpaces).all();
}

export const findSpaceById = preparedFind(embeddingSpaces, "id");

export function hasSpace(db: Db, { id, key }: SpaceRow): boolean {
  return findSpaceById(db, id)?.key === key;
}

export function setSpaceKey(db: Db, id: number, key: string): void {
  db.update(embeddingSpaces).set({ key }).where(eq(embeddingSpaces.id, id)).run();
}

const dimensionsOf = prepared((db) =>
  db
    .update(embeddingSpaces)
    .set({ dimensions: sql`${slot("dimensions")}` })
    .where(and(eq(embeddingSpaces.id, slot("id")), eq(embeddingSpaces.dimensions, 0)))
    .prepare(),
);

export function setDimensions(db: Db, id: number, dimensions: number): void {
  dimensionsOf(db).run({ id, dimensions });
}

export function deleteSpace(db: Db, id: number): void {
  db.delete(embeddingSpaces).where(eq(embeddingSpaces.id, id)).run();
}

export const hasEmbedding = preparedHas(embeddings, "spaceId", "hash");

const insertion = prepared((db) =>
  db
    .insert(embeddings)
    .values({ spaceId: slot("space"), hash: slot("hash"), vector: slot("vector") })
    .onConflictDoNothing()
    .prepare(),
);

export function insertEmbedding(db: Db, space: number, hash: string, vector: Buffer): void {
  insertion(db).run({ space, hash, vector });
}

const ofChunk = prepared((db) =>
  db
    .select({
      vector: embeddings.vector,
      documentId: documents.id,
      visibility: documents.visibility,
    })
    .from(chunks)
    .innerJoin(documents, eq(documents.id, chunks.documentId))
    .innerJoin(embeddings, and(eq(embeddings.hash, chunks.hash), eq(embeddings.spaceId, slot("space"))))
    .where(eq(chunks.id, slot("chunk")))
    .prepare(),
);

export function findVector(
  db: Db,
  space: number,
  chunk: number,
): { vector: Buffer; documentId: string; visibility: "organisation" | "named" } | undefined {
  return ofChunk(db).get({ space, chunk });
}

// Names the spaces, because the index starts with them.
const deletion = prepared((db) =>
  db
    .delete(embeddings)
    .where(
      and(
        inArray(embeddings.spaceId, db.select({ id: embeddingSpaces.id }).from(embeddingSpaces)),
        eq(embeddings.hash, slot("hash")),
      ),
    )
    .prepare(),
);

export function deleteEmbeddings(db: Db, hash: string): void {
  deletion(db).run({ hash });
}

export function listEmbeddings(db: Db, space: number, limit: number): number[] {
  const some = db.select({ id: embeddings.id }).from(embeddings).where(eq(embeddings.spaceId, space));
  return some
    .limit(limit)
    .all()
    .map(({ id }) => id);
}

export const deleteEmbedding = preparedDelete(embeddings, "id");
