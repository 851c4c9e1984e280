import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { authorise } from "~/platform/rights/authorization.server";
import { deleteFeedback, findMessage, putFeedback } from "./branches.repo.server";
import type { FeedbackInput } from "./chat.schema";
import { requireConversation } from "./chat.service.server";

/**
 * Rates an answer or removes the rating.
 * @throws AppError `not_found` for another person's conversation, `conflict` for a user's message
 */
export function rateAnswer(
  actor: Actor,
  conversationId: string,
  { messageId, rating, comment }: FeedbackInput,
): void {
  authorise(actor, "chat.use");
  transaction((tx) => {
    const { id } = requireConversation(actor, conversationId);
    const message = findMessage(tx, id, messageId);
    if (!message) throw new AppError("not_found", "Message not found in this conversation. Reload the page.");
    if (message.role !== "assistant") throw new AppError("conflict", "Only answers can be rated.");
    if (rating === null) return deleteFeedback(tx, messageId, actor.userId);
    const at = now();
    putFeedback(tx, { messageId, userId: actor.userId, rating, comment, createdAt: at, updatedAt: at });
  });
}
