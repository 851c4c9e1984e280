import { eq, inArray } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { documentReaderGroups, documentReaders, groups } from "~db/schema";

export function listReaders(tx: Db, documentId: string): string[] {
  const members = tx
    .select({ id: documentReaders.userId })
    .from(documentReaders)
    .where(eq(documentReaders.documentId, documentId))
    .all();
  const groupRows = tx
    .select({ id: documentReaderGroups.groupId })
    .from(documentReaderGroups)
    .where(eq(documentReaderGroups.documentId, documentId))
    .all();
  return [...groupRows, ...members].map(({ id }) => id);
}

export function replaceReaders(tx: Db, documentId: string, ids: readonly string[]): void {
  tx.delete(documentReaders).where(eq(documentReaders.documentId, documentId)).run();
  tx.delete(documentReaderGroups).where(eq(documentReaderGroups.documentId, documentId)).run();
  const rows = tx
    .select({ id: groups.id })
    .from(groups)
    .where(inArray(groups.id, [...ids]))
    .all();
  const groupIds = new Set(rows.map(({ id }) => id));
  for (const id of ids) {
    if (groupIds.has(id)) tx.insert(documentReaderGroups).values({ documentId, groupId: id }).run();
    else tx.insert(documentReaders).values({ documentId, userId: id }).run();
  }
}
