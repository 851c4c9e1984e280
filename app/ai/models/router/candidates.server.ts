import { cachedByConfig } from "~/core/config-cache.server";
import { db } from "~/core/db.server";
import type { RoutingPolicy } from "~/platform/catalogue/models.schema";
import { readSetting } from "~/platform/settings/read-settings.service.server";
import { describeKeys } from "~/team/keys/keys.service.server";
import { pricingFor } from "../available-models.server";
import { type SettingsById, settingsById } from "../model-description.server";
import { type ListedModel, type ModelKind, ModelRouting } from "../models.schema";
import { costOf, settingsForPrice } from "../pricing.service.server";
import { canonicalId, enabledProviders, modelsOf, type ProviderEntry } from "../provider-models.server";
import { limiterOf } from "./concurrency-limiter.server";
import { healthOf } from "./health.server";

export interface Candidate extends ProviderEntry {
  modelId: string;
  requestedModel: string;
  kind: ModelKind;
  pricing: string | null;
  /** US dollars per 1,000 tokens; null where unknown. */
  cost: { input: number; output: number } | null;
}

interface Snapshot {
  providers: ProviderEntry[];
  settings: SettingsById;
  byModel: Map<string, Candidate[]>;
  routings: Map<string, ModelRouting>;
  policy: RoutingPolicy;
}

function candidateOf(
  provider: ProviderEntry,
  model: ListedModel,
  context: { pricing: string | null; settings: SettingsById; requestedModel: string },
): Candidate {
  const { pricing, settings, requestedModel } = context;
  const priced = { model: model.id, providerId: provider.row.id, providerType: provider.type.value, pricing };
  const priceSettings = settingsForPrice(settings.get(requestedModel), settings.get(canonicalId(model.id)));
  const price = costOf(priced, priceSettings, model.cost);
  return {
    ...provider,
    modelId: model.id,
    requestedModel,
    kind: model.kind ?? "chat",
    pricing,
    cost: price?.cost ?? null,
  };
}

interface ProviderCatalog {
  provider: ProviderEntry;
  pricing: string | null;
  models: ReadonlyMap<string, ListedModel>;
}

function listCandidates(
  catalogs: readonly ProviderCatalog[],
  settings: SettingsById,
): Map<string, Candidate[]> {
  const byModel = new Map<string, Candidate[]>();
  for (const { provider, pricing, models } of catalogs) {
    for (const model of models.values()) {
      const id = canonicalId(model.id);
      const candidates = byModel.get(id) ?? [];
      // A hub may list a model under several ids: the first is enough.
      if (candidates.some((candidate) => candidate.row.id === provider.row.id)) continue;
      candidates.push(candidateOf(provider, model, { pricing, settings, requestedModel: id }));
      byModel.set(id, candidates);
    }
  }
  return byModel;
}

/** Inserts providers with their own id for the model, by priority. */
function addTargets(
  byModel: Map<string, Candidate[]>,
  { catalogs, settings }: { catalogs: readonly ProviderCatalog[]; settings: SettingsById },
  id: string,
  routing: ModelRouting,
): void {
  if (routing.targets.length === 0) return;
  const targets = routing.targets.flatMap(({ providerId, model }) => {
    const catalog = catalogs.find(({ provider }) => provider.row.id === providerId);
    if (!catalog) return [];
    const { provider, pricing, models } = catalog;
    return [
      candidateOf(provider, models.get(model) ?? { id: model }, { pricing, settings, requestedModel: id }),
    ];
  });
  const others = (byModel.get(id) ?? []).filter(({ row }) => !targets.some((one) => one.row.id === row.id));
  const priorityOf = ({ row }: Candidate) => catalogs.findIndex(({ provider }) => provider.row.id === row.id);
  byModel.set(
    id,
    [...others, ...targets].sort((a, b) => priorityOf(a) - priorityOf(b)),
  );
}

/** Routing set by admins; unreadable rows are skipped. */
function routingsOf(settings: SettingsById): Map<string, ModelRouting> {
  return new Map(
    [...settings].flatMap(([id, { routing }]) => {
      const parsed = ModelRouting.safeParse(routing);
      return parsed.success ? [[id, parsed.data] as const] : [];
    }),
  );
}

/** Candidates, cached until the configuration changes; a change also retries unhealthy providers. */
const snapshotOf = cachedByConfig<Snapshot>(["models", "settings:routing"], (orgId) => {
  const providers = enabledProviders(orgId);
  const keys = describeKeys(orgId);
  for (const { row, config } of providers) {
    limiterOf(row.id, config).setLimits(config);
    healthOf(row.id).resetOnChange(`${row.updatedAt} ${keys}`);
  }
  const settings = settingsById(db(), orgId);
  const catalogs = providers.map((provider) => ({
    provider,
    pricing: pricingFor(provider),
    models: new Map(modelsOf(provider).map((model) => [model.id, model])),
  }));
  const byModel = listCandidates(catalogs, settings);
  const routings = routingsOf(settings);
  for (const [id, routing] of routings) addTargets(byModel, { catalogs, settings }, canonicalId(id), routing);
  return { providers, settings, byModel, routings, policy: readSetting(orgId, "routing.policy") };
});

/** By priority, with or without their key. */
export function candidatesFor(orgId: string, modelId: string, kind: ModelKind): Candidate[] {
  const candidates = snapshotOf(orgId).byModel.get(canonicalId(modelId)) ?? [];
  return candidates.filter((candidate) => candidate.kind === kind);
}

/** Defaults to the organization's policy. */
export function routingFor(orgId: string, modelId: string): { policy: RoutingPolicy; fallbacks: string[] } {
  const { routings, policy } = snapshotOf(orgId);
  const own = routings.get(modelId) ?? routings.get(canonicalId(modelId));
  return { policy: own?.policy ?? policy, fallbacks: own?.fallbacks ?? [] };
}

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
