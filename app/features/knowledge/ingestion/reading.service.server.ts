import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { requireDocument } from "../documents/access/document-access.server";
import type { DocumentDetail } from "../documents/document-view.schema";
import { getDocument } from "../documents/documents.service.server";
import { workOnAgain } from "../documents/jobs/work.service.server";
import { whenEnded } from "./ended.server";

/** How long a press waits for the result of it, in milliseconds. */
const WAIT = 8000;

/**
 * Refreshes a document from its address and waits a while for the result.
 * @returns the document, with the result in `lastReading`; undefined while it is still in progress
 * @throws AppError `conflict` for documents without an address
 */
export async function readNow(
  actor: Actor,
  id: string,
  { waitMs = WAIT, signal }: { waitMs?: number; signal?: AbortSignal } = {},
): Promise<DocumentDetail | undefined> {
  const { type } = requireDocument(db(), actor, id).document;
  if (type !== "url")
    throw new AppError("conflict", "This document has no address to refresh. Upload a new version instead.");
  const ended = await whenEnded(workOnAgain(actor, id), waitMs, signal);
  return ended && getDocument(actor, id);
}
