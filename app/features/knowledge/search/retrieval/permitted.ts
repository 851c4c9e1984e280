import type { SearchTask } from "./search-task";

/** A condition in SQL with its values. */
export interface Condition {
  sql: string;
  values: (string | number)[];
}

/**
 * What a search may find, as a condition on `documents d` and `chunks c`: documents of the organisation that the actor
 * sees and the filters leave, in the version that is searched. Part of every query, so that what is hidden takes no
 * one's place in a result.
 */
export function permitted({ orgId, userId, filters }: SearchTask): Condition {
  const terms = [
    "c.version_id = d.version_id",
    "d.org_id = ?",
    "d.deleted_at IS NULL",
    "EXISTS (SELECT 1 FROM document_viewers v WHERE v.document_id = d.id AND v.user_id IN ('*', ?))",
  ];
  const values: (string | number)[] = [orgId, userId];
  const add = (sql: string, value: string | number | undefined) => {
    if (value === undefined) return;
    terms.push(sql);
    values.push(value);
  };
  add(
    "d.category_id IN (SELECT id FROM document_categories k WHERE k.org_id = d.org_id AND k.name = ?)",
    filters.category,
  );
  add("d.type = ?", filters.type);
  add("d.created_at >= ?", filters.from);
  add("d.created_at < ?", filters.to);
  add("d.id = ?", filters.documentId);
  return { sql: terms.join(" AND "), values };
}

export const isFiltered = ({ filters }: SearchTask) =>
  Object.values(filters).some((value) => value !== undefined);
