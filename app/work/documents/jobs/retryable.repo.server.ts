import { and, count, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { documents } from "~db/schema";

/** Errors of the content itself, which a retry can't fix. */
const PERMANENT_ERRORS = sql`('invalid', 'unprocessable', 'too_large', 'unsupported_media')`;

const HAS_READABLE_BYTES: SQL = sql`exists (
  select 1 from document_versions v
  where v.document_id = ${documents.id}
    and case when ${documents.lastJob} ->> '$.state' in ('failed', 'cancelled')
      then v.id = ${documents.lastJob} ->> '$.versionId' else v.state = 'failed' end
    and v.sha256 is not null
    and v.id is not ${documents.versionId}
    and coalesce(${documents.lastJob} ->> '$.code', '') not in ${PERMANENT_ERRORS})`;

/** A URL is fetched again; the stored bytes of a file or text must be readable. */
const HAS_SOURCE: SQL = sql`(${documents.type} = 'url' or ${HAS_READABLE_BYTES})`;
const RETRYABLE: SQL = sql`(${documents.status} = 'failed' or ${documents.error} is not null) and ${HAS_SOURCE}`;

export function listRetryable(tx: Db, documentIds: readonly string[]): Set<string> {
  if (documentIds.length === 0) return new Set();
  const rows = tx
    .select({ id: documents.id })
    .from(documents)
    .where(and(inArray(documents.id, [...documentIds]), RETRYABLE))
    .all();
  return new Set(rows.map(({ id }) => id));
}

/** Queries for a read thread: the number of retryable documents without an active version, one per condition. */
export function retryableQueries(tx: Db, conditions: readonly SQL[]) {
  return conditions.map((condition) =>
    tx
      .select({ documents: count() })
      .from(documents)
      .where(and(condition, eq(documents.status, "failed"), HAS_SOURCE))
      .toSQL(),
  );
}
