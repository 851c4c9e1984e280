import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { requireDocument } from "../access/document-access.server";
import type { DocumentDetail } from "../document-view.schema";
import { getDocument } from "../documents.service.server";
import { retryOrRefreshDocument } from "../jobs/work.service.server";
import { waitForJobEnd } from "./ended.server";

/** Time to wait for the result (ms). */
const WAIT = 8000;

/**
 * Refreshes a URL and waits briefly.
 * @returns the document with `lastRefresh`; undefined while in progress
 * @throws AppError `conflict` for documents without an address
 */
export async function refreshNow(
  actor: Actor,
  id: string,
  { waitMs = WAIT, signal }: { waitMs?: number; signal?: AbortSignal } = {},
): Promise<DocumentDetail | undefined> {
  const { type } = requireDocument(db(), actor, id).document;
  if (type !== "url")
    throw new AppError("conflict", "This document has no URL to refresh. Upload a new version instead.");
  const ended = await waitForJobEnd(id, retryOrRefreshDocument(actor, id), waitMs, signal);
  return ended && getDocument(actor, id);
}
