import type { Db } from "~/core/db.server";
import { listReaders } from "../documents/access/document-readers.repo.server";
import type { DocumentRow } from "../documents/documents.repo.server";
import type { IngestTarget } from "./accept.server";

export function isAsVisible(
  tx: Db,
  { id, visibility, createdBy }: DocumentRow,
  target: IngestTarget,
): boolean {
  if (visibility === "organisation") return true;
  if (target.visibility === "organisation") return false;
  const seers = new Set([createdBy, ...listReaders(tx, id)]);
  return target.readers.every((reader) => seers.has(reader));
}
