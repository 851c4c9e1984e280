import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { documentViewers } from "~db/schema";

/**
 * The one rule of who sees a document, as a condition: everyone's are seen by all, others by their creator and those
 * named, deleted ones by nobody. Whether it is one of the organisation's is the asking query's to say.
 *
 * @param documentId the column that names the document
 */
export function isSeenBy(userId: string, documentId: SQLWrapper): SQL<number> {
  return sql<number>`exists (select 1 from ${documentViewers} where ${documentViewers.documentId} = ${documentId}
    and ${documentViewers.userId} in ('*', ${userId}))`;
}
