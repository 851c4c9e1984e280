import { cachedByConfig } from "~/core/config-cache.server";
import { db } from "~/core/db.server";
import { describeKeys } from "~/features/keys/keys.service.server";
import { readSetting } from "~/features/settings/read-settings.service.server";
import { pricingFor } from "../available-models.server";
import { type SettingsById, settingsById } from "../model-description.server";
import { type ListedModel, type ModelKind, ModelRouting, type RoutingPolicy } from "../models.schema";
import { costOf, settingsForPrice } from "../pricing.service.server";
import { canonicalId, enabledProviders, type Serving, servedModels } from "../provider-models.server";
import { limiterOf } from "./concurrency-limiter.server";
import { healthOf } from "./health.server";

export interface Candidate extends Serving {
  modelId: string;
  servedAs: string;
  kind: ModelKind;
  pricing: string | null;
  /** US dollars per 1,000 tokens; null where unknown. */
  cost: { input: number; output: number } | null;
}

interface Snapshot {
  servings: Serving[];
  settings: SettingsById;
  byModel: Map<string, Candidate[]>;
  routings: Map<string, ModelRouting>;
  policy: RoutingPolicy;
}

function candidateOf(
  serving: Serving,
  model: ListedModel,
  how: { pricing: string | null; settings: SettingsById; requestedModel: string },
): Candidate {
  const { pricing, settings, requestedModel } = how;
  const priced = { model: model.id, providerId: serving.row.id, providerType: serving.type.value, pricing };
  const set = settingsForPrice(settings.get(requestedModel), settings.get(canonicalId(model.id)));
  const price = costOf(priced, set, model.cost);
  return {
    ...serving,
    modelId: model.id,
    servedAs: requestedModel,
    kind: model.kind ?? "chat",
    pricing,
    cost: price?.cost ?? null,
  };
}

interface Stock {
  serving: Serving;
  pricing: string | null;
  models: ReadonlyMap<string, ListedModel>;
}

function listCandidates(stocks: readonly Stock[], settings: SettingsById): Map<string, Candidate[]> {
  const byModel = new Map<string, Candidate[]>();
  for (const { serving, pricing, models } of stocks) {
    for (const model of models.values()) {
      const id = canonicalId(model.id);
      const candidates = byModel.get(id) ?? [];
      // A hub may list a model under several ids: the first is enough.
      if (candidates.some((candidate) => candidate.row.id === serving.row.id)) continue;
      candidates.push(candidateOf(serving, model, { pricing, settings, requestedModel: id }));
      byModel.set(id, candidates);
    }
  }
  return byModel;
}

/** Inserts providers with their own id for the model, by priority. */
function addTargets(
  byModel: Map<string, Candidate[]>,
  { stocks, settings }: { stocks: readonly Stock[]; settings: SettingsById },
  id: string,
  routing: ModelRouting,
): void {
  if (routing.targets.length === 0) return;
  const named = routing.targets.flatMap(({ providerId, model }) => {
    const stock = stocks.find(({ serving }) => serving.row.id === providerId);
    if (!stock) return [];
    const { serving, pricing, models } = stock;
    return [
      candidateOf(serving, models.get(model) ?? { id: model }, { pricing, settings, requestedModel: id }),
    ];
  });
  const others = (byModel.get(id) ?? []).filter(({ row }) => !named.some((one) => one.row.id === row.id));
  const place = ({ row }: Candidate) => stocks.findIndex(({ serving }) => serving.row.id === row.id);
  byModel.set(
    id,
    [...others, ...named].sort((a, b) => place(a) - place(b)),
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
  const servings = enabledProviders(orgId);
  const keys = describeKeys(orgId);
  for (const { row, config } of servings) {
    limiterOf(row.id, config).setLimits(config);
    healthOf(row.id).reconsider(`${row.updatedAt} ${keys}`);
  }
  const settings = settingsById(db(), orgId);
  const stocks = servings.map((serving) => ({
    serving,
    pricing: pricingFor(serving),
    models: new Map(servedModels(serving).map((model) => [model.id, model])),
  }));
  const byModel = listCandidates(stocks, settings);
  const routings = routingsOf(settings);
  for (const [id, routing] of routings) addTargets(byModel, { stocks, settings }, canonicalId(id), routing);
  return { servings, settings, byModel, routings, policy: readSetting(orgId, "routing.policy") };
});

/** By priority, with or without their key. */
export function servingCandidates(orgId: string, modelId: string, kind: ModelKind): Candidate[] {
  const candidates = snapshotOf(orgId).byModel.get(canonicalId(modelId)) ?? [];
  return candidates.filter((candidate) => candidate.kind === kind);
}

/** Defaults to the organization's policy. */
export function routingFor(orgId: string, modelId: string): { policy: RoutingPolicy; fallbacks: string[] } {
  const { routings, policy } = snapshotOf(orgId);
  const own = routings.get(modelId) ?? routings.get(canonicalId(modelId));
  return { policy: own?.policy ?? policy, fallbacks: own?.fallbacks ?? [] };
}
