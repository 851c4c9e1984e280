import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { readInThread } from "~/core/read-pool.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { findMessage } from "./chat.repo.server";
import type { FeedbackInput } from "./chat.schema";
import { requireConversation } from "./chat.service.server";
import type { ModelRatings } from "./chat-choices.shared";
import { deleteFeedback, putFeedback, ratingsQuery } from "./ratings.repo.server";

const MAX_MODELS = 50;

const Row = z.tuple([z.string(), z.number().int(), z.number().int()]);

interface RatingsOptions {
  from: number;
  before: number;
  model?: string | undefined;
  person?: string | undefined;
}

/** Ratings by model; below admin, one's own. */
export async function countRatings(
  actor: Actor,
  { from, before, model, person }: RatingsOptions,
): Promise<ModelRatings[]> {
  authorise(actor, "usage.own");
  const userId = may(actor, "usage.all") ? person : actor.userId;
  const query = ratingsQuery(db(), { orgId: actor.orgId, userId, model, from, before }, MAX_MODELS);
  const [rows = []] = await readInThread("screen", [query]);
  return rows.map((row) => {
    const [name, up, down] = Row.parse(row);
    return { model: name, up, down };
  });
}

/** Rates an answer or removes the rating. @throws AppError `not_found`, `conflict` for a user's message */
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
