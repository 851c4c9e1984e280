import { z } from "zod";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { readInThread } from "~/core/read-pool.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { ratingsQuery } from "./ratings.repo.server";
import type { ModelRatings } from "./ratings.shared";

/** Maximum models in a report. */
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
