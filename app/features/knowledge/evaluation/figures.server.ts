import { z } from "zod";
import type { Actor } from "~/core/actor";
import { readInThread } from "~/core/read-pool.server";
import type { CheckFigures } from "./metrics";
import { figureQuery, sharedFigureQuery } from "./retrieval-check.repo.server";

/** A setting's figures over the questions that the reader sees judged. */
export interface VisibleFigures extends CheckFigures {
  judged: number;
}

const Row = z.tuple([z.string(), z.number(), z.number(), z.number(), z.number()]);

/** The figures of all settings of some runs as the reader may know them, by the setting's id; none without a judged question. */
export async function readFigures(
  actor: Actor,
  runs: readonly string[],
): Promise<Map<string, VisibleFigures>> {
  if (runs.length === 0) return new Map();
  const [rows = []] = await readInThread("screen", [figureQuery(actor, runs)]);
  return new Map(
    rows.map((row) => {
      const [id, judged, hitRate, mrr, ndcg] = Row.parse(row);
      return [id, { judged, hitRate, mrr, ndcg }];
    }),
  );
}

/** Two settings over the questions that both were judged by. */
export interface SharedFigures {
  questions: number;
  before: CheckFigures;
  after: CheckFigures;
}

const SharedRow = z.tuple([z.string(), z.number()], z.number());

/**
 * Settings held against others, over the questions that both have judged: the means of different questions are no
 * difference.
 *
 * @param runs all that the settings are of
 * @returns by the later setting's id; none without a question in common
 */
export async function readShared(
  actor: Actor,
  runs: readonly string[],
  pairs: readonly { before: string; after: string }[],
): Promise<Map<string, SharedFigures>> {
  if (pairs.length === 0) return new Map();
  const [rows = []] = await readInThread("screen", [sharedFigureQuery(actor, runs, pairs)]);
  return new Map(
    rows.map((row) => {
      const [id, questions, ...means] = SharedRow.parse(row);
      const figures = (from: number): CheckFigures => ({
        hitRate: means[from] ?? 0,
        mrr: means[from + 1] ?? 0,
        ndcg: means[from + 2] ?? 0,
      });
      return [id, { questions, after: figures(0), before: figures(3) }];
    }),
  );
}
