import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { KeyId, KeyNumber, keyset } from "~/core/cursor";
import { db, transaction } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { readInThread } from "~/core/read-pool.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { nameOf } from "~/team/members/member-names.service.server";
import type { FeedbackInput } from "./chat.schema";
import { requireConversation, requireMessage } from "./chat.service.server";
import type { ModelRatings } from "./chat-choices.shared";
import { deleteFeedback, listRatingsQuery, putFeedback, ratingsQuery } from "./ratings.repo.server";
import type { Rating, RatingsQuery } from "./ratings.schema";

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
  { messageId, rating, comment, shared }: FeedbackInput,
): void {
  authorise(actor, "chat.use");
  transaction((tx) => {
    const { id } = requireConversation(actor, conversationId);
    if (requireMessage(tx, id, messageId).role !== "assistant")
      throw new AppError("conflict", "Only answers can be rated.");
    if (rating === null) return deleteFeedback(tx, messageId, actor.userId);
    const at = now();
    const own = { messageId, userId: actor.userId };
    putFeedback(tx, { ...own, rating, comment, shared, createdAt: at, updatedAt: at });
  });
}

const pages = keyset(z.object({ updatedAt: KeyNumber, messageId: KeyId, userId: KeyId }));

const text = z.string().nullable();
const Listed = z.tuple([
  z.string(),
  z.string(),
  z.enum(["up", "down"]),
  z.number().int(),
  text,
  z.number(),
  text,
  text,
  text,
]);

async function readListed(actor: Actor, query: ReturnType<typeof listRatingsQuery>) {
  const [rows = []] = await readInThread("screen", [query]);
  return rows.map((row): Rating => {
    const [messageId, id, rating, at, model, readable, comment, question, answer] = Listed.parse(row);
    return {
      messageId,
      person: { id, name: nameOf(actor.orgId, id) },
      rating,
      model,
      readable: readable === 1,
      comment,
      question,
      answer,
      ratedAt: isoTime(at),
    };
  });
}

/** Ratings with their texts where they may be read, newest first; below admin, one's own. */
export async function listRatings(
  actor: Actor,
  { rating, model, person, limit, cursor }: RatingsQuery,
): Promise<{ ratings: Rating[]; next?: string }> {
  authorise(actor, "usage.own");
  const userId = may(actor, "usage.all") ? person : actor.userId;
  const scope = { orgId: actor.orgId, readerId: actor.userId, userId, rating, model };
  const found = await readListed(actor, listRatingsQuery(db(), scope, limit + 1, pages.decode(cursor)));
  const { rows, ...next } = pages.page(found, limit, ({ messageId, person, ratedAt }) => ({
    updatedAt: Date.parse(ratedAt),
    messageId,
    userId: person.id,
  }));
  return { ratings: rows, ...next };
}

/** Undefined also if its texts can't be read. */
export async function findRating(
  actor: Actor,
  messageId: string,
  userId: string,
): Promise<Rating | undefined> {
  authorise(actor, "usage.own");
  const { orgId, userId: readerId } = actor;
  const isAllowed = userId === readerId || may(actor, "usage.all");
  const scope = { orgId, readerId, userId, messageId, rating: undefined, model: undefined };
  const [found] = isAllowed ? await readListed(actor, listRatingsQuery(db(), scope, 1)) : [];
  return found?.readable ? found : undefined;
}
