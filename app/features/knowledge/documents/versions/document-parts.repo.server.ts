import { and, asc, desc, eq, gt, lt, lte } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { chunks, documentParts, documentTexts, documentVersions, searchIndexes } from "~db/schema";

export type VersionRow = typeof documentVersions.$inferSelect;
export type TextRow = typeof documentTexts.$inferSelect;
export type ChunkRow = typeof chunks.$inferSelect;

/** Newest first. */
export function listVersionRows(tx: Db, documentId: string, limit: number, before?: number): VersionRow[] {
  return tx
    .select()
    .from(documentVersions)
    .where(
      and(
        eq(documentVersions.documentId, documentId),
        before === undefined ? undefined : lt(documentVersions.number, before),
      ),
    )
    .orderBy(desc(documentVersions.number))
    .limit(limit)
    .all();
}

export function findVersionRow(tx: Db, documentId: string, number: number): VersionRow | undefined {
  return tx
    .select()
    .from(documentVersions)
    .where(and(eq(documentVersions.documentId, documentId), eq(documentVersions.number, number)))
    .get();
}

/** The stored piece of a text that holds a place; of a place behind its end the last one. */
export function findTextRow(tx: Db, versionId: string, at: number): TextRow | undefined {
  return tx
    .select()
    .from(documentTexts)
    .where(and(eq(documentTexts.versionId, versionId), lte(documentTexts.start, at)))
    .orderBy(desc(documentTexts.position))
    .limit(1)
    .get();
}

export function findTextRowAt(tx: Db, versionId: string, position: number): { start: number } | undefined {
  return tx
    .select({ start: documentTexts.start })
    .from(documentTexts)
    .where(and(eq(documentTexts.versionId, versionId), eq(documentTexts.position, position)))
    .get();
}

export function findPart(tx: Db, versionId: string, position: number): Buffer | undefined {
  return tx
    .select({ bytes: documentParts.bytes })
    .from(documentParts)
    .where(and(eq(documentParts.versionId, versionId), eq(documentParts.position, position)))
    .get()?.bytes;
}

/** The chunks of a version as the index that serves has them, in their order. */
export function listChunkRows(
  tx: Db,
  index: { orgId: string; collection: string },
  versionId: string,
  limit: number,
  after?: number,
): ChunkRow[] {
  const serving = tx
    .select({ chunkSetId: searchIndexes.chunkSetId })
    .from(searchIndexes)
    .where(
      and(
        eq(searchIndexes.orgId, index.orgId),
        eq(searchIndexes.collection, index.collection),
        eq(searchIndexes.state, "serving"),
      ),
    )
    .get();
  if (!serving) return [];
  return tx
    .select()
    .from(chunks)
    .where(
      and(
        eq(chunks.chunkSetId, serving.chunkSetId),
        eq(chunks.versionId, versionId),
        after === undefined ? undefined : gt(chunks.position, after),
      ),
    )
    .orderBy(asc(chunks.position))
    .limit(limit)
    .all();
}
