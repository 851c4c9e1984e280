import { rawDatabase } from "~/core/db.server";
import { listTermsTables } from "~/work/index/stores/derived-tables.repo.server";
import { addDocument, addVersion } from "./documents";

/** About sixty unique tokens. */
const paragraph = (topic: string, n: number) =>
  `${topic} number ${n}: ${Array.from({ length: 40 }, (_, word) => `${topic.toLowerCase()}${(n * 7 + word) % 97}`).join(" ")}.`;

interface TextOptions {
  visibility?: "organisation" | "named";
  /** Whether the version is active already. */
  served?: boolean;
}

/** Equal paragraphs have equal texts. */
export function addText(
  name: string,
  paragraphs: number,
  { visibility = "organisation", served = true }: TextOptions = {},
): { documentId: string; versionId: string } {
  const documentId = addDocument(name, { visibility });
  const texts = Array.from({ length: paragraphs }, (_, n) => ({ text: `${paragraph(name, n)}\n\n` }));
  const versionId = addVersion(documentId, { texts, title: name, state: served ? "served" : "read" });
  return { documentId, versionId };
}

const count = (sql: string): number => {
  try {
    return rawDatabase().prepare(sql).pluck().get() as number;
  } catch {
    // Created with the first row.
    return 0;
  }
};

/** Rows of a chunk set and an index. */
export function countRows({ set = 1, index = 1 }: { set?: number; index?: number } = {}) {
  return {
    chunks: count(`SELECT count(*) FROM chunks WHERE chunk_set_id = ${set}`),
    terms: listTermsTables(set).reduce(
      (sum, table) => sum + count(`SELECT count(*) FROM ${table}_docsize`),
      0,
    ),
    embeddings: count(
      `SELECT count(*) FROM embeddings WHERE space_id = (SELECT space_id FROM search_indexes WHERE id = ${index})`,
    ),
    entries: count(`SELECT count(*) FROM index_entries WHERE index_id = ${index}`),
    points: count(`SELECT count(*) FROM vectors_${index}_rowids`),
  };
}
