import { and, count, eq, inArray, isNull } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { documents } from "~db/schema";

interface Owned {
  orgId: string;
  userId: string;
  visibility: "organisation" | "named";
}

const owned = ({ orgId, userId, visibility }: Owned) =>
  and(
    eq(documents.orgId, orgId),
    eq(documents.createdBy, userId),
    eq(documents.visibility, visibility),
    isNull(documents.deletedAt),
  );

export function countOwned(tx: Db, of: Owned): number {
  return tx.select({ n: count() }).from(documents).where(owned(of)).get()?.n ?? 0;
}

export function listOwned(tx: Db, of: Owned, limit: number): string[] {
  const rows = tx.select({ id: documents.id }).from(documents).where(owned(of)).limit(limit).all();
  return rows.map(({ id }) => id);
}

export function changeCreator(tx: Db, ids: readonly string[], createdBy: string): void {
  tx.update(documents)
    .set({ createdBy })
    .where(inArray(documents.id, [...ids]))
    .run();
}

/** Takes documents out of sight; they are removed for good in the background. */
export function hideDocuments(tx: Db, ids: readonly string[], deletedAt: number): void {
  tx.update(documents)
    .set({ deletedAt })
    .where(inArray(documents.id, [...ids]))
    .run();
}
