import type { DocumentRow } from "./documents.repo.server";

/**
 * What the audit trail tells of a change to a document. Admins read the trail whole, so it has no name, category or
 * measure of a document that named members alone see: those entries have its id, and how it was changed.
 */
export function documentDetails<About extends object, Change extends object = object>(
  { visibility }: Pick<DocumentRow, "visibility">,
  about: About,
  change: Change = {} as Change,
): Partial<About> & Change {
  const shown: Partial<About> = visibility === "named" ? {} : about;
  return { ...shown, ...change };
}
