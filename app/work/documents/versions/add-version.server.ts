import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { insertVersion, lastVersionNumber, type VersionRow } from "./versions.repo.server";

export function addVersion(
  tx: Db,
  documentId: string,
  version: Pick<VersionRow, "state" | "createdBy"> & Partial<VersionRow>,
): string {
  const id = newId("ver");
  const number = lastVersionNumber(tx, documentId) + 1;
  insertVersion(tx, { ...version, id, documentId, number, createdAt: now() });
  return id;
}
