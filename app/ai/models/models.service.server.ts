import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { cachedByConfig } from "~/core/config-cache.server";
import { DAY } from "~/core/durations";
import type { RouteRecord } from "~/platform/catalogue/models.schema";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { authorise } from "~/platform/rights/authorization.server";
import { readSetting } from "~/platform/settings/settings.service.server";
import { chosenModels } from "~/team/members/preferences.service.server";
import { type CallFeature, FEATURE_LABELS } from "./call-features";
import type { ChatModelCall } from "./language-model";
import { describeModel, type ModelDescription } from "./model-description.server";
import type { OfferedModel } from "./model-picker.shared";
import {
  KEEPS_SETTINGS,
  lacksOf,
  OWN_TOOLS,
  type RefusedTool,
  refusedBy,
  refusedTools,
} from "./model-refusals.server";
import { DEFAULT_CONTEXT_TOKENS } from "./model-settings.schema";
import type { ListedModel, Model, ModelKind } from "./models.schema";
import { pricingFor, settingsById } from "./pricing.service.server";
import {
  baseUrlOf,
  canonicalId,
  enabledProviders,
  hasRequiredKey,
  modelsOf,
  type ProviderEntry,
  readRouting,
} from "./provider-entry.server";
import { offline } from "./providers/offline.provider.server";
import { candidatesFor, costOfCandidate, placeOf } from "./router/candidates.server";
import { allowedModels, assertModelAvailable, assertServed } from "./router/model-access.server";
import { type CallHooks, type OpenedModel, openModel } from "./router/open-model.server";
import type { CallPurpose } from "./router/spending.server";
import { writtenName } from "./wire-names.service.server";

export { SAYS_SCHEMA } from "./call-features";
export { callRecorded } from "./call-recorded.server";
export { chatOutputTokens, isEstimated, tokensIn, tokensInBytes, tokensInCall } from "./counted-usage";
export { effortOfThinking, effortOptions, readEffort } from "./effort";
export { explainProviderError } from "./explain-provider-error.server";
export { ATTACHED } from "./language-model";
export { wellFormedModel } from "./model-stream.server";
export { closeCalls, noResult } from "./open-calls";
export { canonicalId } from "./provider-entry.server";
export { readProviderFault } from "./provider-fault";
export { redact, shortReason } from "./provider-words";
export type { CallEnd, Routed, Wait } from "./router/attempts.server";
export { cutOffCall } from "./router/cut-off-calls.server";
export { allowedModels, assertMayCall } from "./router/model-access.server";
export {
  type CallHooks,
  CONTENT_PARTS,
  detailsOfPart,
  newRouteRecord,
  type OutputLimit,
  routeCall,
} from "./router/open-model.server";
export { type CallSize, DEFAULT_OUTPUT_TOKENS, startSpending } from "./router/spending.server";
export { nonStreamingTimeout, type ResponseMode, type RouteTarget } from "./router/targets.server";
export {
  packStep,
  StepStateCollector,
  unpackStep,
  withKeptStep,
  writerName,
  writtenBy,
} from "./step-state";
export { KEEPS_SETTINGS, OWN_TOOLS };

/** Served by at least one enabled provider with its key. */
export interface AvailableModel extends ModelDescription {
  id: string;
  kind: ModelKind;
  provider: ProviderEntry;
  providers: number;
}

interface ServedModel {
  provider: ProviderEntry;
  upstream: ListedModel;
  providerIds: Set<string>;
}

function findAvailable(orgId: string, providers: readonly ProviderEntry[]): AvailableModel[] {
  const settings = settingsById(orgId);
  const modelsById = new Map<string, ServedModel>();
  const add = (id: string, provider: ProviderEntry, upstream: ListedModel) => {
    const existing = modelsById.get(id);
    if (existing) existing.providerIds.add(provider.row.id);
    else if (id !== OFFLINE_MODEL)
      modelsById.set(id, { provider, upstream, providerIds: new Set([provider.row.id]) });
  };
  const lists = new Map(providers.map((provider) => [provider, modelsOf(provider.row)]));
  for (const [provider, models] of lists) {
    for (const upstream of models) add(canonicalId(upstream.id), provider, upstream);
  }
  for (const row of settings.values()) {
    for (const { providerId, model } of readRouting(row).targets) {
      const provider = providers.find(({ row }) => row.id === providerId);
      const upstream = provider && lists.get(provider)?.find((item) => item.id === model);
      if (provider) add(canonicalId(row.modelId), provider, upstream ?? { id: model });
    }
  }
  const pricing = new Map(providers.map((provider) => [provider, pricingFor(provider)]));
  return [...modelsById].map(([id, { provider, upstream, providerIds }]) => {
    const { row, type } = provider;
    const at = { providerType: type.value, providerId: row.id, pricing: pricing.get(provider) ?? null };
    const described = describeModel(settings, id, upstream, at);
    return { id, kind: upstream.kind ?? "chat", provider, providers: providerIds.size, ...described };
  });
}

interface Cache {
  providers: ProviderEntry[];
  /** Cache key: available keys and the day. */
  key?: string;
  models?: readonly AvailableModel[];
}

const cacheFor = cachedByConfig<Cache>(["models", "settings:ai"], (orgId) => ({
  providers: enabledProviders(orgId),
}));

/**
 * Available models by canonical id: the default provider's first, then by priority. Includes those of every kind and
 * hidden models.
 */
export function availableModels(orgId: string): readonly AvailableModel[] {
  const cache = cacheFor(orgId);
  // Keys depend on the environment, which isn't part of the configuration.
  const providers = cache.providers.filter(hasRequiredKey);
  const key = [Math.floor(now() / DAY), ...providers.map(({ row }) => row.id)].join(" ");
  if (cache.key !== key || !cache.models) {
    const defaultProvider = readSetting(orgId, "ai.defaultProvider");
    const isOther = ({ provider }: AvailableModel) => Number(provider.type.value !== defaultProvider);
    cache.models = findAvailable(orgId, providers).sort((a, b) => isOther(a) - isOther(b));
    cache.key = key;
  }
  return cache.models;
}

function findModel(orgId: string, modelId: string): AvailableModel | undefined {
  const id = canonicalId(modelId);
  return availableModels(orgId).find((model) => model.id === id);
}

/** Context length in tokens; undefined for the built-in model and if unknown. */
export const contextLength = (orgId: string, modelId: string): number | undefined =>
  findModel(orgId, modelId)?.contextLength;

/** Whether a model thinks before it answers, as far as is known. */
const reasons = (orgId: string, modelId: string): boolean =>
  findModel(orgId, modelId)?.capabilities.includes("reasoning") ?? false;

/** Whether a provider that can be called takes a feature with the model, as far as is known. */
export function takes(orgId: string, modelId: string, feature: CallFeature): boolean {
  const candidates = candidatesFor(orgId, modelId, "chat").filter(hasRequiredKey);
  return candidates.length === 0 || candidates.some((one) => !lacksOf(placeOf(one)).has(feature));
}

/** What calls of a model to its first provider leave out, in words: its refusals, and tools. */
export function leftOutOf(orgId: string, modelId: string): string[] {
  const [first] = candidatesFor(orgId, modelId, "chat");
  if (!first) return [];
  const place = placeOf(first);
  const refused = refusedBy(place);
  const features = [...lacksOf(place)].filter((feature) => feature === "tools" || refused.includes(feature));
  return [
    ...features.map((feature) => FEATURE_LABELS[feature]),
    ...refusedTools(place).map(({ name }) => writtenName(name)),
  ];
}

/** The tools, by their own names, that a model's first provider refused, with its words. */
export function toolsOff(orgId: string, modelId: string): RefusedTool[] {
  const [first] = candidatesFor(orgId, modelId, "chat");
  return first ? refusedTools(placeOf(first)).map((tool) => ({ ...tool, name: writtenName(tool.name) })) : [];
}

export interface ResolvedModel {
  modelId: string;
  /**
   * Selects a provider and starts a generation.
   *
   * @param record receives the routing decision, also if no provider succeeds
   * @param hooks called with what the call waits for, and for the call without tools where the model takes none
   * @throws AppError with a readable message
   */
  open(call: ChatModelCall, record: RouteRecord, hooks?: CallHooks): Promise<OpenedModel>;
}

const OFFLINE: Omit<Model, "name"> = {
  id: OFFLINE_MODEL,
  provider: offline.value,
  providerId: null,
  providerName: offline.label,
  recommended: false,
  enhanced: true,
  maxTokens: DEFAULT_CONTEXT_TOKENS,
  cost: { input: 0, output: 0 },
  capabilities: ["text", "function-calling"],
  mcpCapabilities: ["tools"],
  description: offline.description,
  providers: 0,
  available: true,
};

/** Section 4 of the contract. */
const FALLBACKS = ["gpt-4o", "gpt-4", "gpt-3.5-turbo", "gemini-2.5-flash"];
const LAST_RESORT = "gpt-4o";

function toModel(model: AvailableModel): Model {
  const {
    id,
    provider: entry,
    price: _,
    kind: __,
    hidden: ___,
    groups: ____,
    contextLength: _____,
    ...facts
  } = model;
  return {
    id,
    ...facts,
    provider: entry.type.value,
    providerId: entry.row.id,
    providerName: entry.row.displayName,
    available: true,
  };
}

/** Available models without hidden ones; the built-in model is last, so that it is only a default while alone. */
export function listModels(actor: Actor): Model[] {
  authorise(actor, "screens.read");
  const isAllowed = allowedModels(actor);
  const models = availableModels(actor.orgId).filter(
    ({ id, kind, hidden }) => kind === "chat" && !hidden && isAllowed(id),
  );
  // Follows the branded name.
  const name = `${readSetting(actor.orgId, "branding.appName")} offline`;
  return [...models.map(toModel), { ...OFFLINE, name }];
}

/** What a page carries of each model that its picker offers. */
export const toOffered = ({ id, name, providerName, capabilities }: Model): OfferedModel => ({
  id,
  name,
  provider: providerName,
  ...(capabilities.includes("reasoning") && { reasons: true }),
});

/** The list of every model picker: those that can be called, then `others` that can't. */
export function offerModels(actor: Actor, others: readonly string[] = []): OfferedModel[] {
  const models = listModels(actor).map(toOffered);
  const missing = [...new Set(others)].filter((id) => !models.some((model) => model.id === id));
  return [...models, ...missing.map((id) => ({ id, name: id, provider: "", available: false }))];
}

function firstAvailable(
  models: readonly Model[],
  ids: readonly (string | null | undefined)[],
): string | undefined {
  return ids.find((id): id is string => Boolean(id) && models.some((model) => model.id === id));
}

/** The first of these ids that is available, else the first model. */
function firstOf(models: readonly Model[], ids: readonly (string | undefined)[]): string {
  return firstAvailable(models, ids) ?? models[0]?.id ?? LAST_RESORT;
}

/** The person's choice for this session or for good, else the organization's default. */
function chosenModel(actor: Actor, models: readonly Model[]): string | undefined {
  const { session, preferred } = chosenModels(actor);
  return firstAvailable(models, [session, preferred, readSetting(actor.orgId, "routing.defaultModel")]);
}

/** The person's or the organization's default, if it is limited to groups that the person isn't in. */
export function limitedDefault(actor: Actor): string | undefined {
  const { session, preferred } = chosenModels(actor);
  const chosen = session ?? preferred ?? readSetting(actor.orgId, "routing.defaultModel");
  return chosen && findModel(actor.orgId, chosen) && !allowedModels(actor)(chosen) ? chosen : undefined;
}

/** In the header and for workflows: the chosen model, the first recommended, gpt-4o, then the first (section 4). */
export function topBarModel(actor: Actor, models: readonly Model[]): string {
  const recommended = models.find((model) => model.recommended)?.id;
  return chosenModel(actor, models) ?? firstOf(models, [recommended, LAST_RESORT]);
}

/** The chosen model, else section 4's fallbacks, else the first. */
export function availableModel(models: readonly Model[], chosen: string): string {
  return firstOf(models, [chosen, ...FALLBACKS]);
}

/** A model of another provider that was set as the default: its recommended one, else its first. */
function providerDefault(actor: Actor, models: readonly Model[]): string | undefined {
  const type = readSetting(actor.orgId, "ai.defaultProvider");
  // The contract's own defaults are OpenAI's.
  if (type === "openai") return undefined;
  const own = models.filter(({ provider }) => provider === type);
  return (own.find(({ recommended }) => recommended) ?? own[0])?.id;
}

/** The chosen model, else the default provider's, else gpt-5-mini, else as `availableModel`. */
export function newChatModel(actor: Actor, models: readonly Model[]): string {
  return chosenModel(actor, models) ?? providerDefault(actor, models) ?? availableModel(models, "gpt-5-mini");
}

/** The chosen model, else the default provider's, else the first of section 4's fallbacks. */
export function dashboardModel(actor: Actor, models: readonly Model[]): string {
  return chosenModel(actor, models) ?? providerDefault(actor, models) ?? firstOf(models, FALLBACKS);
}

/**
 * Checks that a model can be called. Its provider is selected per call.
 *
 * @param purpose the persona or workflow whose budgets count its calls
 * @throws AppError `provider_model` (no provider serves it), `provider_missing` (its provider is disabled),
 *   `provider_key` (its provider has no key)
 */
export function resolveModel(actor: Actor, modelId: string, purpose?: CallPurpose): ResolvedModel {
  if (purpose?.isJudgement) assertServed(actor, modelId);
  else assertModelAvailable(actor, modelId);
  return {
    modelId,
    open: (call, record, hooks) =>
      openModel(
        { actor, model: modelId, purpose, signal: call.abortSignal, ...hooks },
        record,
        call,
        (id) => ({
          contextLength: contextLength(actor.orgId, id),
          reasons: reasons(actor.orgId, id),
        }),
      ),
  };
}

/**
 * Ids with the type of the first provider that serves each and when that was added (epoch ms). Includes those of every
 * kind and hidden models, which calls may name; the built-in model is last.
 */
export function listModelsForGateway(orgId: string): { id: string; ownedBy: string; createdAt: number }[] {
  const models = availableModels(orgId).map(({ id, provider: { row, type } }) => ({
    id,
    ownedBy: type.value,
    createdAt: row.createdAt,
  }));
  return [...models, { id: OFFLINE_MODEL, ownedBy: offline.value, createdAt: 0 }];
}

export interface EmbeddingModel {
  id: string;
  /** Manually entered ids count as chat models. */
  kind: ModelKind;
  providerId: string;
  providerType: string;
  provider: string;
  baseUrl: string | null;
  callable: boolean;
}

/** Models of OpenAI-compatible embedding providers, by priority; health is ignored, as the choice is lasting. */
export function listEmbeddingModels(orgId: string): EmbeddingModel[] {
  const providers = enabledProviders(orgId).filter(({ type }) => type.wire["openai-embeddings"]);
  return providers.flatMap((entry) => {
    const { row, type, config } = entry;
    const provider = {
      providerId: row.id,
      providerType: type.value,
      provider: row.displayName,
      baseUrl: config.baseUrl ?? type.defaultBaseUrl,
      callable: hasRequiredKey(entry),
    };
    return modelsOf(row)
      .filter(({ kind = "chat" }) => kind === "chat" || kind === "embedding")
      .map(({ id, kind = "chat" }) => ({ id: canonicalId(id), kind, ...provider }));
  });
}

/** The providers that serve a model and have their key. */
export function listModelEndpoints(orgId: string, modelId: string, kind: ModelKind) {
  return candidatesFor(orgId, modelId, kind)
    .filter(hasRequiredKey)
    .map((candidate) => ({
      providerId: candidate.row.id,
      provider: candidate.row.displayName,
      origin: new URL(baseUrlOf(candidate)).origin,
      inputCost: costOfCandidate(candidate)?.input ?? null,
    }));
}
