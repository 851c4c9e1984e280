import { type Changes, changesOf } from "~/platform/audit/audit.service.server";
import type { DocumentRow } from "./documents.repo.server";

/**
 * Audit details of a document. Admins read the whole trail, so entries of restricted documents have no
 * name, category or size.
 */
export function documentDetails<About extends object, Change extends object = object>(
  { visibility }: Pick<DocumentRow, "visibility">,
  about: About,
  change: Change = {} as Change,
): Partial<About> & Change {
  const visible: Partial<About> = visibility === "named" ? {} : about;
  return { ...visible, ...change };
}

type Shown = Pick<DocumentRow, "name" | "visibility" | "refreshEvery"> & { category: string };

export function documentChanges(before: Shown, after: Shown): Changes {
  const { visibility, refreshEvery, name, category } = after;
  const isRestricted = before.visibility === "named" || visibility === "named";
  return changesOf({}, before, { visibility, refreshEvery, ...(isRestricted ? {} : { name, category }) });
}
