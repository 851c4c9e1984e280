import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { updateConversation } from "./chat.repo.server";
import type { Conversation } from "./chat.schema";
import { requireConversation } from "./chat.service.server";
import { readConversation } from "./conversations.service.server";

/**
 * Allows or forbids tools to share a restricted conversation, from the next call on.
 * @throws AppError `not_found` for another person's conversation, `conflict` if it isn't restricted
 */
export function changeSharing(
  actor: Actor,
  id: string,
  { sharingAllowed }: { sharingAllowed: boolean },
): Conversation {
  authorise(actor, "chat.use");
  transaction((tx) => {
    const { restrictedAt, sharingAllowedAt } = requireConversation(actor, id);
    if (sharingAllowed === (sharingAllowedAt !== null)) return;
    if (sharingAllowed && restrictedAt === null) {
      throw new AppError(
        "conflict",
        "This conversation contains no restricted passages, so its tools aren't limited.",
      );
    }
    updateConversation(tx, id, { sharingAllowedAt: sharingAllowed ? now() : null });
    append(tx, actor, {
      action: sharingAllowed ? "conversation.sharing_allowed" : "conversation.sharing_withdrawn",
      resource: `conversation:${id}`,
      details: {},
    });
  });
  return readConversation(actor, id);
}
