import type { RoutingPolicy } from "~/platform/catalogue/models.schema";
import type { Candidate } from "./candidates.server";
import { healthOf } from "./health.server";

/** Assumed capacity without a limit, to compare loads. */
const NOMINAL_SLOTS = 50;
/** Conversations read about three tokens per token written. */
const INPUT_SHARE = 0.75;

interface Ordered {
  candidates: Candidate[];
  /** Reason for the first candidate's position. */
  reason: string;
}

type Rank = (candidate: Candidate) => number;

function sortedBy(candidates: readonly Candidate[], rank: Rank): Candidate[] {
  // Stable: ties stay in priority order.
  return candidates
    .map((candidate) => ({ candidate, at: rank(candidate) }))
    .sort((a, b) => (a.at === b.at ? 0 : a.at - b.at))
    .map(({ candidate }) => candidate);
}

/** US dollars per 1,000 tokens of a typical call; unknown prices last. */
function priceOf(candidate: Candidate): number {
  const { cost } = candidate;
  if (!cost) return Number.POSITIVE_INFINITY;
  return cost.input * INPUT_SHARE + cost.output * (1 - INPUT_SHARE);
}

/** Time to first token (ms); unmeasured providers first, to be measured. */
function latencyOf({ row, modelId }: Candidate): number {
  return healthOf(row.id).latencyOf(modelId) ?? 0;
}

function loadOf({ row, config }: Candidate): number {
  return healthOf(row.id).active / (config.maxConcurrent ?? NOMINAL_SLOTS);
}

const money = (perThousand: number) => `$${Number((perThousand * 1000).toPrecision(3))}`;

const POLICIES: Record<RoutingPolicy, { rank: Rank; why(first: Candidate, among: string): string }> = {
  priority: { rank: () => 0, why: (_, among) => `First by priority ${among}.` },
  cheapest: {
    rank: priceOf,
    why: (first, among) =>
      Number.isFinite(priceOf(first))
        ? `Cheapest ${among}: about ${money(priceOf(first))} per million tokens.`
        : `No known price ${among}: first by priority.`,
  },
  fastest: {
    rank: latencyOf,
    why: (first, among) => {
      const ms = healthOf(first.row.id).latencyOf(first.modelId);
      return ms === undefined
        ? `No recent measurement, so it is measured now ${among}.`
        : `Fastest ${among}: ${Math.round(ms)} ms to first token recently.`;
    },
  },
  "least-loaded": {
    rank: loadOf,
    why: (first, among) => `Least loaded ${among}: ${healthOf(first.row.id).active} requests in progress.`,
  },
};

/** Best first. */
export function orderCandidates(candidates: readonly Candidate[], policy: RoutingPolicy): Ordered {
  const { rank, why } = POLICIES[policy];
  const ordered = sortedBy(candidates, rank);
  const [first] = ordered;
  if (!first) return { candidates: ordered, reason: "" };
  if (ordered.length === 1) {
    return { candidates: ordered, reason: `${first.row.displayName} is the only provider of this model.` };
  }
  return { candidates: ordered, reason: why(first, `of ${ordered.length} providers`) };
}
