import { z } from "zod";
import { readInThread } from "~/core/read-pool.server";
import type { CheckFigures } from "./metrics";
import { sharedFigureQuery } from "./retrieval-check.repo.server";

export interface SharedFigures {
  questions: number;
  before: CheckFigures;
  after: CheckFigures;
}

const SharedRow = z.tuple([z.string(), z.number()], z.number());

/**
 * Compares settings over the questions that both judged: means over different questions aren't comparable.
 * @param runs the runs of all these settings
 * @returns by the later setting's id; absent without a common question
 */
export async function readShared(
  orgId: string,
  runs: readonly string[],
  pairs: readonly { before: string; after: string }[],
): Promise<Map<string, SharedFigures>> {
  if (pairs.length === 0) return new Map();
  const [rows = []] = await readInThread("screen", [sharedFigureQuery(orgId, runs, pairs)]);
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
