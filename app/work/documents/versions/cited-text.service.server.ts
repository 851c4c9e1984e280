import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { requireDocument } from "../access/document-access.server";
import type { TextPage } from "../document-view.schema";
import { readText } from "./document-parts.service.server";
import { findVersionByNumber } from "./versions.repo.server";

interface Cited {
  from?: number | undefined;
  version?: number | undefined;
}

interface CitedText {
  text: TextPage;
  lostVersion?: number;
}

/** The cited text: its own version if available, else the current one. @throws AppError `not_found` */
export function readCitedText(actor: Actor, id: string, { from = 0, version: number }: Cited): CitedText {
  requireDocument(db(), actor, id);
  if (number === undefined) return { text: readText(actor, id, { from }) };
  const version = findVersionByNumber(db(), id, number);
  const text = version && readText(actor, id, { from, version: number });
  // Purging removes a version's text piece by piece.
  if (!text || (version.state === "replaced" && text.length === 0))
    return { text: readText(actor, id, { from: 0 }), lostVersion: number };
  return { text };
}
