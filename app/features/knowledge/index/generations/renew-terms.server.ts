import { db, transaction } from "~/core/db.server";
import { listOtherTitles } from "../../documents/documents-for-jobs.repo.server";
import { findWordsForm, setWordsForm } from "../chunk-sets.repo.server";
import { findChunkText, listDocumentChunks } from "../chunks.repo.server";
import { deleteTerms, hasTerms, insertTerms } from "../stores/derived-tables.repo.server";
import { termsTable } from "../stores/tables";
import { inTermSlices, isWritten } from "../stores/terms-index.server";
import { termsOf, WORDS_FORM } from "./fill-chunk-set.server";

const PAGE = 200;

/** Rewrites a document's terms after a rename. Idempotent. @throws the signal's reason */
export async function renewTerms(documentId: string, signal?: AbortSignal): Promise<void> {
  for (let after = 0; ; ) {
    const page = listDocumentChunks(db(), documentId, after, PAGE);
    const last = page.at(-1);
    if (!last) return;
    await inTermSlices(
      [...new Set(page.map(({ set }) => set))],
      page,
      (tx, { id, set }) => {
        const table = termsTable(set);
        // A running build adds missing terms itself.
        const chunk = isWritten(tx, set) && hasTerms(table, id) ? findChunkText(tx, id) : undefined;
        if (!chunk) return;
        deleteTerms(table, id);
        insertTerms(table, id, termsOf(chunk, chunk));
      },
      signal,
    );
    after = last.id;
  }
}

/** Upgrades a chunk set's terms to the current format. @throws the signal's reason */
export async function bringUpToForm(orgId: string, chunkSetId: number, signal?: AbortSignal): Promise<void> {
  const form = findWordsForm(db(), chunkSetId);
  if (form === undefined || form >= WORDS_FORM) return;
  for (let after = ""; ; ) {
    const page = listOtherTitles(db(), orgId, after, PAGE);
    for (const documentId of page) await renewTerms(documentId, signal);
    const last = page.at(-1);
    if (last === undefined) break;
    after = last;
  }
  transaction((tx) => setWordsForm(tx, chunkSetId, WORDS_FORM));
}
