import { and, desc, eq, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { documents, isSeenBy } from "~db/schema";

/** Who looks: what they may not see is left out. */
interface Viewer {
  orgId: string;
  userId: string;
}

/** The newest documents, read in the order of their ids, which is that of time. */
export function listNewest(tx: Db, viewer: Viewer, limit: number) {
  return tx
    .select({
      id: documents.id,
      name: documents.name,
      status: documents.status,
      createdAt: documents.createdAt,
    })
    .from(documents)
    .where(and(sql`+${documents.orgId} = ${viewer.orgId}`, isSeenBy(viewer.userId, documents.id)))
    .orderBy(desc(documents.id))
    .limit(limit)
    .all();
}

/** Whether the organisation has any document, regardless of who sees it. */
export function hasDocuments(tx: Db, orgId: string): boolean {
  return (
    tx.select({ id: documents.id }).from(documents).where(eq(documents.orgId, orgId)).limit(1).get() !==
    undefined
  );
}
