import type { Actor } from "~/core/actor";
import { yieldToEventLoop } from "~/core/background.server";
import { AppError } from "~/core/errors";
import { authorise } from "~/platform/rights/authorization.server";
import { listDocuments } from "../documents.service.server";
import { retryDocument } from "../jobs/work.service.server";

const MAX_DOCUMENTS = 500;

export async function retryFailed(
  actor: Actor,
  max = MAX_DOCUMENTS,
): Promise<{ documents: number; more: boolean }> {
  authorise(actor, "documents.write");
  let documents = 0;
  let cursor: string | undefined;
  do {
    const limit = max - documents;
    const page = await listDocuments(actor, { status: "failed", limit, ...(cursor ? { cursor } : {}) });
    for (const { id, canRetry } of page.documents) {
      if (!canRetry) continue;
      try {
        retryDocument(actor, id);
        documents += 1;
      } catch (error) {
        // Concurrently retried or deleted documents are skipped.
        if (!(error instanceof AppError && (error.code === "conflict" || error.code === "not_found")))
          throw error;
      }
      await yieldToEventLoop();
    }
    cursor = page.next;
  } while (cursor !== undefined && documents < max);
  return { documents, more: cursor !== undefined };
}
