import { and, eq, gte, lt } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { documentCategories, documents, isVisibleTo } from "~db/schema";
import type { SearchTask } from "./retrieval/search-task";

export type DocumentFilters = SearchTask["filters"];

/** Visible documents that match the filters, up to a limit, for stores that can't check access. */
export function listSearchedDocuments(
  db: Db,
  { orgId, userId }: { orgId: string; userId: string },
  { category, type, from, to, documentId }: DocumentFilters,
  limit: number,
): string[] {
  return db
    .select({ id: documents.id })
    .from(documents)
    .innerJoin(documentCategories, eq(documentCategories.id, documents.categoryId))
    .where(
      and(
        eq(documents.orgId, orgId),
        isVisibleTo(userId, documents.id),
        category === undefined ? undefined : eq(documentCategories.name, category),
        type && eq(documents.type, type),
        from === undefined ? undefined : gte(documents.createdAt, from),
        to === undefined ? undefined : lt(documents.createdAt, to),
        documentId === undefined ? undefined : eq(documents.id, documentId),
      ),
    )
    .limit(limit)
    .all()
    .map(({ id }) => id);
}
