import { cachedByConfig } from "~/core/config-cache.server";
import type { RoutingPolicy } from "~/platform/catalogue/models.schema";
import { readSetting } from "~/platform/settings/settings.service.server";
import { describeKeys } from "~/team/keys/keys.service.server";
import type { ModelPlace } from "../model-refusals.server";
import { MODEL_KINDS, type ModelKind, type ModelRouting } from "../models.schema";
import { costOf, pricingFor, settingsById, type TokenPrice } from "../pricing.service.server";
import {
  canonicalId,
  enabledProviders,
  modelsOf,
  type ProviderEntry,
  readRouting,
  upstreamModel,
} from "../provider-entry.server";
import { limiterOf } from "./concurrency-limiter.server";
import { healthOf } from "./health.server";

export interface Candidate extends ProviderEntry {
  modelId: string;
  requestedModel: string;
  kind: ModelKind;
  pricing: string | null;
}

export const placeOf = ({ row, modelId, requestedModel }: Candidate): ModelPlace => ({
  orgId: row.orgId,
  providerId: row.id,
  provider: row.displayName,
  modelId,
  requestedModel,
});

interface Snapshot {
  byModel: ReadonlyMap<string, Candidate[]>;
  routings: ReadonlyMap<string, ModelRouting>;
  policy: RoutingPolicy;
}

/** Candidates, cached until the configuration changes; a change also retries unhealthy providers. */
const snapshotOf = cachedByConfig<Snapshot>(["models", "settings:routing"], (orgId) => {
  const keys = describeKeys(orgId);
  const catalogs = enabledProviders(orgId).map((entry) => {
    const { row, config } = entry;
    limiterOf(row.id, config).setLimits(config);
    healthOf(row.id).resetOnChange(`${row.updatedAt} ${keys}`);
    const kinds = new Map(modelsOf(row).map(({ id, kind }) => [id, kind]));
    const pricing = pricingFor(entry);
    const candidateOf = (modelId: string, requestedModel: string): Candidate => ({
      ...entry,
      modelId,
      requestedModel,
      kind: kinds.get(modelId) ?? "chat",
      pricing,
    });
    return { providerId: row.id, modelIds: [...kinds.keys()], candidateOf };
  });
  const byModel = new Map<string, Candidate[]>();
  for (const { providerId, modelIds, candidateOf } of catalogs) {
    for (const modelId of modelIds) {
      const id = canonicalId(modelId);
      const candidates = byModel.get(id) ?? [];
      // A hub may list a model under several ids: the first is enough.
      if (candidates.at(-1)?.row.id === providerId) continue;
      byModel.set(id, [...candidates, candidateOf(modelId, id)]);
    }
  }
  const routings = new Map<string, ModelRouting>();
  for (const row of settingsById(orgId).values()) {
    if (!row.routing) continue;
    const routing = readRouting(row);
    routings.set(row.modelId, routing);
    if (routing.targets.length === 0) continue;
    // Providers with their own id for the model rank among the others by priority.
    const id = canonicalId(row.modelId);
    const listed = byModel.get(id) ?? [];
    const candidates = catalogs.flatMap(({ providerId, candidateOf }) => {
      const targets = routing.targets.filter((target) => target.providerId === providerId);
      return targets.length > 0
        ? targets.map(({ model }) => candidateOf(model, id))
        : listed.filter((candidate) => candidate.row.id === providerId);
    });
    byModel.set(id, candidates);
  }
  return { byModel, routings, policy: readSetting(orgId, "routing.policy") };
});

/** By priority, with or without their key. */
export function candidatesFor(orgId: string, modelId: string, kind: ModelKind): Candidate[] {
  const candidates = snapshotOf(orgId).byModel.get(canonicalId(modelId)) ?? [];
  return candidates.filter((candidate) => candidate.kind === kind);
}

/** The kind under which a provider lists a model; chat if several do. */
export function servedKind(orgId: string, modelId: string): ModelKind {
  const candidates = snapshotOf(orgId).byModel.get(canonicalId(modelId)) ?? [];
  const kinds = new Set(candidates.map(({ kind }) => kind));
  return MODEL_KINDS.find((kind) => kinds.has(kind)) ?? "chat";
}

export function routingFor(orgId: string, modelId: string): { policy: RoutingPolicy; fallbacks: string[] } {
  const { routings, policy } = snapshotOf(orgId);
  const own = routings.get(modelId) ?? routings.get(canonicalId(modelId));
  return { policy: own?.policy ?? policy, fallbacks: own?.fallbacks ?? [] };
}

/** Assumed capacity without a limit, to compare loads. */
const NOMINAL_SLOTS = 50;
/** Conversations read about three tokens per token written. */
const INPUT_SHARE = 0.75;

type Rank = (candidate: Candidate) => number;

/** US dollars per 1,000 tokens. */
export function costOfCandidate(candidate: Candidate): TokenPrice["cost"] | undefined {
  const { row, type, modelId, requestedModel, pricing } = candidate;
  const priced = { model: modelId, requestedModel, providerId: row.id, providerType: type.value, pricing };
  const own = upstreamModel(row.orgId, row.id, modelId)?.cost;
  return costOf(priced, settingsById(row.orgId), own)?.cost;
}

/** US dollars per 1,000 tokens of a typical call; unknown prices last. */
function priceOf(candidate: Candidate): number {
  const cost = costOfCandidate(candidate);
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

/** Best first; ties stay in priority order. `reason` says why the first one is. */
export function orderCandidates(
  candidates: readonly Candidate[],
  policy: RoutingPolicy,
): { candidates: Candidate[]; reason: string } {
  const { rank, why } = POLICIES[policy];
  const ordered = candidates.toSorted((a, b) => {
    const [left, right] = [rank(a), rank(b)];
    return left === right ? 0 : left - right;
  });
  const [first] = ordered;
  if (!first) return { candidates: ordered, reason: "" };
  const name = first.row.displayName;
  const reason =
    ordered.length === 1
      ? `${name} is the only provider of this model.`
      : why(first, `of ${ordered.length} providers`);
  return { candidates: ordered, reason };
}
