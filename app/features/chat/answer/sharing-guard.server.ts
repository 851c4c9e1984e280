import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { areSeenByAll } from "~/features/knowledge/documents.service.server";
import type { CallGuard } from "~/features/tools/call-tool.service.server";
import { findConversation, updateConversation } from "../chat.repo.server";
import { sharingRefusal } from "../sharing.schema";
import { documentsIn } from "./prompt.server";

/**
 * Keeps passages of restricted documents from reaching everybody, or the outside, by way of a model that was misled by
 * what it read. Once a conversation holds such a passage it stays marked, whatever its model is asked later. Its owner
 * may allow tools to share them all the same.
 *
 * @param quoted the documents that the conversation names by now: some may have been restricted since
 */
export function guardSharing(actor: Actor, conversationId: string, quoted: () => string[]): CallGuard {
  const read = () => findConversation(db(), actor, conversationId);
  const mark = () => transaction((tx) => updateConversation(tx, conversationId, { restrictedAt: now() }));
  // A document that is deleted or unknown counts as restricted: nobody can tell any more who saw it.
  const markIf = (documents: string[]): boolean => {
    if (areSeenByAll(actor, documents)) return false;
    mark();
    return true;
  };
  const isRestricted = () => typeof read()?.restrictedAt === "number" || markIf(quoted());
  const isAllowed = () => typeof read()?.sharingAllowedAt === "number";
  return {
    isRestricted,
    refuse: (tool, effect) => (isRestricted() && !isAllowed() ? sharingRefusal(tool, effect) : undefined),
    note: (output) => {
      if (typeof read()?.restrictedAt !== "number") markIf(documentsIn(output));
    },
  };
}
