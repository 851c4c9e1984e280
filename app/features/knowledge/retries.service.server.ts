import { setImmediate as turn } from "node:timers/promises";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { authorise } from "~/features/members/authorisation.server";
import { readBatch } from "./batches.service.server";
import { listDocuments } from "./documents.service.server";
import { retryDocument } from "./work.service.server";

/** As many as one press tries again. */
const MOST = 500;

/** Each in a transaction of its own, with a turn for other requests after it. @returns how many there were to try */
async function retryAll(actor: Actor, ids: readonly string[]): Promise<number> {
  let tried = 0;
  for (const id of ids) {
    try {
      retryDocument(actor, id);
      tried += 1;
    } catch (error) {
      // One that somebody else retried or deleted meanwhile doesn't hold up the others.
      if (!(error instanceof AppError && (error.code === "conflict" || error.code === "not_found")))
        throw error;
    }
    await turn();
  }
  return tried;
}

/** Has every document that failed worked on again, of those that the actor sees. @returns how many */
export async function retryFailed(actor: Actor): Promise<number> {
  authorise(actor, "documents.write");
  const { documents } = listDocuments(actor, { status: "failed", limit: MOST });
  return retryAll(
    actor,
    documents.map(({ id }) => id),
  );
}

/** Has the documents of a batch that failed worked on again. @returns how many */
export async function retryBatch(actor: Actor, id: string): Promise<number> {
  authorise(actor, "documents.write");
  const failed = readBatch(actor, id).items.filter(({ state }) => state === "failed");
  return retryAll(
    actor,
    failed.flatMap(({ documentId }) => documentId ?? []),
  );
}
