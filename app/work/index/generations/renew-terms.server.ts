import { db } from "~/core/db.server";
import { findChunkText, listDocumentChunks } from "../chunks.repo.server";
import { deleteTerms, hasTerms, insertTerms } from "../stores/derived-tables.repo.server";
import { termsTable } from "../stores/tables";
import { hasTermsTable, runInTermBatches } from "../stores/terms-index.server";
import { termsOf } from "./fill-chunk-set.server";

const BATCH_SIZE = 200;

/** Rewrites a document's terms after a rename. Idempotent. @throws the signal's reason */
export async function renewTerms(documentId: string, signal?: AbortSignal): Promise<void> {
  for (let after = 0; ; ) {
    const page = listDocumentChunks(db(), documentId, after, BATCH_SIZE);
    const last = page.at(-1);
    if (!last) return;
    await runInTermBatches(
      [...new Set(page.map(({ set }) => set))],
      page,
      (tx, { id, set }) => {
        const table = termsTable(set);
        // A running build adds missing terms itself.
        const chunk = hasTermsTable(tx, set) && hasTerms(table, id) ? findChunkText(tx, id) : undefined;
        if (!chunk) return;
        deleteTerms(table, id);
        insertTerms(table, id, termsOf(chunk, chunk));
      },
      signal,
    );
    after = last.id;
  }
}
