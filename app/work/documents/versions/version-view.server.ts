import { Facts } from "~/work/extraction/facts.schema";
import type { DocumentVersion } from "../document-view.schema";
import type { VersionRow } from "./versions.repo.server";

export function toVersion(row: VersionRow): DocumentVersion {
  const { id, number, state, error, size, sha256, fileName, contentType, finalUrl, title, textLength } = row;
  return {
    id,
    number,
    state,
    error,
    size,
    sha256,
    fileName,
    contentType,
    finalUrl,
    title,
    textLength,
    facts: Facts.parse(row.facts),
    createdAt: new Date(row.createdAt).toISOString(),
    servedAt: row.servedAt === null ? null : new Date(row.servedAt).toISOString(),
  };
}
