import type { DocumentRow } from "./documents.repo.server";

/**
 * What the audit trail tells of a change to a document. Admins read the trail whole, so it has no name, category or
 * measure of a document that named members alone see: those entries have its id, and how it was changed.
 */
export function documentDetails(
  { visibility }: Pick<DocumentRow, "visibility">,
  about: Record<string, unknown>,
  change: Record<string, unknown> = {},
): Record<string, unknown> {
  return visibility === "named" ? change : { ...about, ...change };
}
