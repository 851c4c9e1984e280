import type { CallGuard } from "~/ai/tools/call-tool.service.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { areVisibleToAll } from "~/work/documents/documents.service.server";
import { findConversation, updateConversation } from "../chat.repo.server";
import { sharingRefusal } from "../sharing.shared";
import { documentsIn } from "./prompt.server";

/**
 * Keeps passages of restricted documents from reaching everyone, or leaving the console, through a model misled by
 * prompt injection. A conversation that contains such a passage stays marked. Its owner may allow tools to share them.
 * @param quoted the documents cited by the conversation: some may have been restricted since
 */
export function guardSharing(actor: Actor, conversationId: string, quoted: () => string[]): CallGuard {
  const read = () => findConversation(db(), actor, conversationId);
  const mark = () => transaction((tx) => updateConversation(tx, conversationId, { restrictedAt: now() }));
  // Deleted or unknown documents count as restricted.
  const markIfRestricted = (documents: string[]): boolean => {
    if (areVisibleToAll(actor, documents)) return false;
    mark();
    return true;
  };
  const isRestricted = () => typeof read()?.restrictedAt === "number" || markIfRestricted(quoted());
  const isAllowed = () => typeof read()?.sharingAllowedAt === "number";
  return {
    isRestricted,
    refuse: (tool, effect) => (isRestricted() && !isAllowed() ? sharingRefusal(tool, effect) : undefined),
    note: (output) => {
      if (typeof read()?.restrictedAt !== "number") markIfRestricted(documentsIn(output));
    },
  };
}
