import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import type { DocumentScreenData } from "../../screens/document-screen.schema";
import { requireDocument } from "../access/document-access.server";
import { findShownVersion } from "../documents.repo.server";
import { findVersionRow, listTextsBetween } from "./document-parts.repo.server";
import { readText } from "./document-parts.service.server";

/** How far from its old place a passage is looked for in the present text, in characters: looking takes a millisecond. */
const NEAR = 200_000;

interface Cited {
  from?: number | undefined;
  to?: number | undefined;
  /** The version that the places are in; that of an old answer is absent. */
  version?: number | undefined;
}

/**
 * The text that a citation points to: of its version as long as that is kept, then the present one from its beginning.
 *
 * @throws AppError `not_found` for a document that isn't seen
 */
export function readCitedText(
  actor: Actor,
  id: string,
  { from = 0, to, version: number }: Cited,
): Pick<DocumentScreenData, "text" | "lostVersion" | "presentPlace"> {
  const { document } = requireDocument(db(), actor, id);
  if (number === undefined) return { text: readText(actor, id, { from }) };
  const version = findVersionRow(db(), id, number);
  const text = version && readText(actor, id, { from, version: number });
  // What was searched once has a text, until it is removed piece by piece.
  if (!text || (version.state === "replaced" && text.length === 0)) {
    return { text: readText(actor, id, { from: 0 }), lostVersion: number };
  }
  const present = findShownVersion(db(), document);
  if (!present || present.id === version.id || to === undefined || to <= from || to > text.end)
    return { text };
  const words = text.text.slice(from - text.start, to - text.start);
  const presentPlace = findWords(present.id, words, from);
  return { text, ...(presentPlace ? { presentPlace } : {}) };
}

/** Where in a version's text the words stand, near a place. */
function findWords(versionId: string, words: string, near: number): DocumentScreenData["presentPlace"] {
  if (words === "") return undefined;
  for (const { start, text } of listTextsBetween(db(), versionId, { from: near - NEAR, to: near + NEAR })) {
    const at = text.indexOf(words);
    if (at >= 0) return { start: start + at, end: start + at + words.length };
  }
  return undefined;
}
