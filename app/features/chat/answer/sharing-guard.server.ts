import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { areSeenByAll } from "~/features/knowledge/documents.service.server";
import { findConversation, updateConversation } from "../chat.repo.server";
import { documentsIn } from "./prompt.server";

/**
 * Keeps passages of restricted documents from reaching everybody, or the outside, by way of a model that was misled by
 * what it read. Once a conversation holds such a passage it stays marked, whatever its model is asked later.
 */
export interface SharingGuard {
  /** Whether the conversation holds passages of documents that not everybody may see. */
  isRestricted(): boolean;
  /** Whether its owner allowed tools to share them. */
  isAllowed(): boolean;
  /** Looks at a tool's result before any other call runs. */
  note(output: unknown): void;
}

/** @param quoted the documents that the conversation names by now: some may have been restricted since */
export function guardSharing(actor: Actor, conversationId: string, quoted: () => string[]): SharingGuard {
  const read = () => findConversation(db(), actor, conversationId);
  const mark = () => transaction((tx) => updateConversation(tx, conversationId, { restrictedAt: now() }));
  // A document that is deleted or unknown counts as restricted: nobody can tell any more who saw it.
  const markIf = (documents: string[]): boolean => {
    if (areSeenByAll(actor, documents)) return false;
    mark();
    return true;
  };
  return {
    isRestricted: () => typeof read()?.restrictedAt === "number" || markIf(quoted()),
    isAllowed: () => typeof read()?.sharingAllowedAt === "number",
    note: (output) => {
      if (typeof read()?.restrictedAt !== "number") markIf(documentsIn(output));
    },
  };
}
