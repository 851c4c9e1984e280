import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { indexTerms } from "~/core/language/terms";
import { type ChunkSetRow, hasChunkSet } from "../chunk-sets.repo.server";
import type { Chunking } from "../chunking/chunk";
import { chunkVersion } from "../chunking/chunk-version.server";
import { hasChunkAt, insertChunk, type Titled } from "../chunks.repo.server";
import { findIndexedVersion } from "../indexed-documents.repo.server";
import { insertTerms } from "../stores/derived-tables.repo.server";
import { termsTable } from "../stores/tables";
import { runInTermBatches } from "../stores/terms-index.server";

function chunkingOf({ key }: ChunkSetRow): Chunking {
  const [, target, overlap] = key.split("/").map(Number);
  return { target: target ?? 400, overlap: overlap ?? 0 };
}

/**
 * Chunks a version and indexes its terms, in reverse order: the first chunk marks a complete version.
 * @returns false when the version or the set is gone, or no longer to be searched
 * @throws AppError that names the document; the signal's reason
 */
export async function fillChunkSet(
  set: ChunkSetRow,
  versionId: string,
  signal?: AbortSignal,
): Promise<boolean> {
  if (hasChunkAt(db(), set.id, versionId, 0)) return true;
  const version = findIndexedVersion(db(), versionId);
  if (!version || version.state === "replaced") return false;
  const { title, documentId } = version;
  let chunks: Awaited<ReturnType<typeof chunkVersion>>;
  try {
    chunks = await chunkVersion({ versionId, title, chunking: chunkingOf(set) }, signal);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `"${title}" couldn't be split into chunks: ${error.message}`, {
      cause: error,
    });
  }
  let isGone = false;
  await runInTermBatches(
    [set.id],
    chunks,
    (tx, chunk) => {
      // The document or set may have changed since the last batch.
      const current = findIndexedVersion(tx, versionId);
      if (!current || current.state === "replaced" || !hasChunkSet(tx, set)) isGone = true;
      if (isGone || !current || hasChunkAt(tx, set.id, versionId, chunk.position)) return;
      const id = insertChunk(tx, { ...chunk, chunkSetId: set.id, documentId, versionId });
      // A concurrent rename rewrites the terms.
      insertTerms(termsTable(set.id), id, termsOf(current, chunk));
    },
    signal,
  );
  return !isGone;
}

export function termsOf(
  { name, title }: Titled,
  { headings, text }: { headings: readonly string[]; text: string },
) {
  return {
    title: indexTerms(title === name ? name : `${name}\n${title}`),
    headings: indexTerms(headings.join("\n")),
    body: indexTerms(text),
  };
}
