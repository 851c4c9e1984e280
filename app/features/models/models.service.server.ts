import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { authorise } from "~/features/members/authorisation.server";
import { chosenModels } from "~/features/settings/settings.service.server";
import { explainedModel } from "./explained-model.server";
import type { ChatModel } from "./language-model";
import { capabilitiesOf, isRecommended, modelFacts } from "./model-facts.server";
import { listProviderRows } from "./models.repo.server";
import { type Model, OFFLINE_MODEL } from "./models.schema";
import { pricingOfAddress } from "./pricing.service.server";
import { baseUrlOf, callFor, isCallable, readConfig } from "./provider-call.server";
import { offline } from "./providers/offline.provider.server";
import { enabledProviders, type Serving, servedModels } from "./serving.server";

export { explainProviderError } from "./provider-errors.server";

/** A model that is ready to be called. */
export interface ResolvedModel {
  modelId: string;
  /** Null for the built-in model. */
  providerId: string | null;
  providerType: string;
  /** The provider's name for a person. */
  displayName: string;
  /** The price list that holds; null where none is known. */
  pricing: string | null;
  languageModel: ChatModel;
}

const OFFLINE: Model = {
  id: OFFLINE_MODEL,
  name: "Quarterdeck offline (built in, not a language model)",
  provider: offline.value,
  providerId: null,
  recommended: false,
  enhanced: true,
  maxTokens: 4096,
  cost: { input: 0, output: 0 },
  capabilities: ["text", "function-calling"],
  mcpCapabilities: ["tools"],
  description: offline.description,
  available: true,
};

/** Section 4's order where a chosen model is missing from the list. */
const FALLBACKS = ["gpt-4o", "gpt-4", "gpt-3.5-turbo", "gemini-2.5-flash"];
const LAST_RESORT = "gpt-4o";

function pricingFor({ row, type }: Serving): string | null {
  return type.pricing ?? pricingOfAddress(baseUrlOf(readConfig(row), type));
}

function toModel(serving: Serving, pricing: string | null, id: string): Model {
  const facts = modelFacts(pricing, id);
  const capabilities = capabilitiesOf(id);
  const enhanced = capabilities.includes("function-calling");
  return {
    id,
    name: facts.name,
    provider: serving.type.value,
    providerId: serving.row.id,
    recommended: isRecommended(id),
    enhanced,
    maxTokens: facts.maxTokens,
    cost: facts.cost,
    capabilities,
    mcpCapabilities: enhanced ? ["tools"] : [],
    ...(facts.description ? { description: facts.description } : {}),
    available: true,
  };
}

/**
 * The models that can be called now, each once, from the first provider that serves it. The built-in model comes last,
 * so that it is a default only while it is alone.
 */
export function listModels(actor: Actor): Model[] {
  authorise(actor, "screens.read");
  const models = new Map<string, Model>();
  for (const serving of enabledProviders(actor.orgId)) {
    if (!isCallable(serving.row, serving.type)) continue;
    const pricing = pricingFor(serving);
    for (const { id, kind } of servedModels(serving)) {
      if (!models.has(id) && id !== OFFLINE_MODEL && kind !== "embedding")
        models.set(id, toModel(serving, pricing, id));
    }
  }
  return [...models.values(), OFFLINE];
}

function firstAvailable(
  models: readonly Model[],
  ids: readonly (string | null | undefined)[],
): string | undefined {
  return ids.find((id): id is string => Boolean(id) && models.some((model) => model.id === id));
}

/**
 * The model picker's choice: the session's, the saved preference, the first recommended, gpt-4o, the first of the list
 * (section 4).
 */
export function topBarModel(actor: Actor, models: readonly Model[]): string {
  const { session, preferred } = chosenModels(actor);
  const recommended = models.find((model) => model.recommended)?.id;
  return (
    firstAvailable(models, [session, preferred, recommended, LAST_RESORT]) ?? models[0]?.id ?? LAST_RESORT
  );
}

/** The chat screen's default: gpt-5-mini, else section 4's fallbacks in their order, else the first of the list. */
export function chatDefaultModel(models: readonly Model[]): string {
  return firstAvailable(models, ["gpt-5-mini", ...FALLBACKS]) ?? models[0]?.id ?? LAST_RESORT;
}

function resolveOffline(): ResolvedModel {
  return {
    modelId: OFFLINE_MODEL,
    providerId: null,
    providerType: offline.value,
    displayName: offline.label,
    pricing: null,
    languageModel: offline.makeModel({ baseUrl: "", apiKey: undefined, fetch, config: {} }, OFFLINE_MODEL),
  };
}

function serves(provider: Pick<Serving, "row" | "config">, modelId: string): boolean {
  return servedModels(provider).some((model) => model.id === modelId);
}

function refuseUnserved(actor: Actor, modelId: string): AppError {
  const rows = listProviderRows(db(), actor.orgId);
  const disabled = rows.find((row) => !row.enabled && serves({ row, config: readConfig(row) }, modelId));
  if (disabled) {
    return new AppError(
      "provider_missing",
      `${disabled.displayName}, which serves "${modelId}", is disabled.`,
    );
  }
  if (!rows.some((row) => row.enabled)) {
    return new AppError(
      "provider_missing",
      `No provider is set up to serve "${modelId}". An admin adds one under Settings › Providers; ${OFFLINE_MODEL} needs none.`,
    );
  }
  return new AppError("provider_model", `No provider serves the model "${modelId}".`, {
    fields: { model: [`Unknown model "${modelId}"`] },
  });
}

/**
 * Makes a model ready to be called, from the first provider that serves it and has its key.
 *
 * @throws AppError `provider_model` (nobody serves it), `provider_missing` (no provider is set up or enabled),
 *   `provider_key` (who serves it has no key)
 */
export function resolveModel(actor: Actor, modelId: string): ResolvedModel {
  if (modelId === OFFLINE_MODEL) return resolveOffline();
  const serving = enabledProviders(actor.orgId).filter(({ row }) =>
    serves({ row, config: readConfig(row) }, modelId),
  );
  const chosen = serving.find(({ row, type }) => isCallable(row, type)) ?? serving[0];
  if (!chosen) throw refuseUnserved(actor, modelId);
  const { row, type } = chosen;
  const model = type.makeModel(callFor(row, type), modelId);
  return {
    modelId,
    providerId: row.id,
    providerType: type.value,
    displayName: row.displayName,
    pricing: pricingFor(chosen),
    languageModel: explainedModel(model, { provider: row.displayName, model: modelId }),
  };
}
