import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { authorise } from "~/features/members/authorisation.server";
import { findNewestReady } from "./documents.repo.server";

export function newestDocumentName(actor: Actor): string | undefined {
  authorise(actor, "screens.read");
  return findNewestReady(db(), actor)?.name;
}
