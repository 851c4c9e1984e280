import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append, changesOf } from "~/platform/audit/audit.service.server";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { authorise } from "~/platform/rights/authorization.server";
import { readGroupState, readSettings, updateSettings } from "~/platform/settings/settings.service.server";
import { isGroup } from "~/team/members/groups.service.server";
import {
  type CustomModelInput,
  DEFAULT_CONTEXT_TOKENS,
  ModelPatch,
  ModelSettings,
  type RoutingInput,
  type RoutingSettings,
} from "./model-settings.schema";
import {
  deleteModelSettings,
  findModelSettings,
  findProviderRow,
  listDiscovered,
  listProviderRows,
  type ModelSettingsRow,
  saveModelSettings,
} from "./models.repo.server";
import { ModelRouting } from "./models.schema";
import { listCatalogueEntries } from "./price-list.server";
import { requireType } from "./provider-config.server";
import { canonicalId, modelsOf } from "./provider-entry.server";

const PRICES = [
  ["input", "inputCost"],
  ["output", "outputCost"],
  ["searchUnits", "searchUnitCost"],
  ["images", "imageCost"],
  ["audioMinutes", "audioMinuteCost"],
  ["characters", "characterCost"],
] as const;

function findSettings(source: Db, orgId: string, id: string): ModelSettings {
  const row = findModelSettings(source, orgId, id);
  const parsed = ModelSettings.safeParse({
    id,
    source: row?.source ?? null,
    provider: row?.providerType ?? null,
    name: row?.name ?? null,
    description: row?.description ?? null,
    maxTokens: row?.maxTokens ?? null,
    cost:
      row?.inputCost == null || row.outputCost === null
        ? null
        : Object.fromEntries(PRICES.map(([name, column]) => [name, row[column] ?? undefined])),
    capabilities: row?.capabilities ?? null,
    hidden: row?.hidden ?? false,
    recommended: row?.recommended ?? null,
    routing: ModelRouting.safeParse(row?.routing).data ?? null,
    groups: row?.groups ?? null,
  });
  if (parsed.success) return parsed.data;
  throw new AppError("internal", "The model's settings are invalid. Save the model again.", {
    cause: parsed.error,
  });
}

/** Whether an id is set, added, discovered, served or in the catalogue. */
function isKnown(orgId: string, id: string): boolean {
  const matches = (other: string) => canonicalId(other) === id;
  return (
    findModelSettings(db(), orgId, id) !== undefined ||
    listProviderRows(db(), orgId).some((row) => modelsOf(row).some((model) => matches(model.id))) ||
    listDiscovered(db(), orgId).some((model) => matches(model.id)) ||
    listCatalogueEntries().some((model) => matches(model.id))
  );
}

function requireModel(actor: Actor, modelId: string): string {
  const id = canonicalId(modelId);
  if (id === OFFLINE_MODEL || !isKnown(actor.orgId, id)) {
    throw new AppError("not_found", "Model not found. It may have been removed.");
  }
  return id;
}

function isAdded(source: Db, orgId: string, id: string): boolean {
  return findModelSettings(source, orgId, id)?.source != null;
}

/**
 * Adds a discovered model to providers of the hub's type; idempotent.
 * @throws AppError `not_found` if not discovered
 */
export function addModel(actor: Actor, modelId: string): ModelSettings {
  authorise(actor, "providers.manage");
  const model = listDiscovered(db(), actor.orgId).find(({ id }) => id === modelId);
  if (!model) throw new AppError("not_found", "Model not found. Click Discover Models to refresh the list.");
  const { id, hub, name, description, downloads } = model;
  if (!isAdded(db(), actor.orgId, id)) {
    // Other facts come from the provider.
    const facts = { name, description: description ?? null, downloads: downloads ?? null };
    transaction((tx) => {
      const key = { orgId: actor.orgId, modelId: id };
      saveModelSettings(tx, key, { source: hub, providerType: hub, ...facts }, now());
      append(tx, actor, {
        action: "model.added",
        resource: `model:${id}`,
        details: { model: id, provider: hub },
      });
    });
  }
  return findSettings(db(), actor.orgId, id);
}

type Facts = Parameters<typeof saveModelSettings>[2];

/** Only a given price is stored: a default of 0 would override all others. */
function customPrice({ cost }: CustomModelInput): Facts {
  if (cost.input === undefined && cost.output === undefined) return {};
  return { inputCost: cost.input ?? 0, outputCost: cost.output ?? 0 };
}

function customFacts(input: CustomModelInput, before: ModelSettingsRow | undefined): Facts {
  const { name, provider, description, maxTokens, capabilities, routing } = input;
  const isAlias = provider === undefined && (routing?.targets.length ?? 0) > 0;
  const abilities = isAlias ? null : ["text"];
  return {
    name,
    description: description ?? before?.description ?? null,
    routing: routing ?? before?.routing ?? null,
    providerType: isAlias ? null : requireType(provider ?? "custom").value,
    maxTokens: maxTokens ?? before?.maxTokens ?? null,
    capabilities: capabilities.length > 0 ? capabilities : (before?.capabilities ?? abilities),
    ...customPrice(input),
  };
}

/** @throws AppError `conflict` for an added id, or one with a general price */
function assertFree(id: string, before: ModelSettingsRow | undefined): void {
  if (id === OFFLINE_MODEL || before?.source != null) {
    throw new AppError("conflict", `A model "${id}" already exists. Enter another ID.`, {
      fields: { id: ["This model already exists. Enter another ID"] },
    });
  }
  if (before?.inputCost != null) {
    // A custom model's price wouldn't apply to providers that list the id.
    const message = "This ID already has a price. Remove the price first";
    throw new AppError("conflict", `${message}.`, { fields: { id: [message] } });
  }
}

export function addCustomModel(actor: Actor, input: CustomModelInput): ModelSettings {
  authorise(actor, "providers.manage");
  const { id, routing } = input;
  return transaction((tx) => {
    const before = findModelSettings(tx, actor.orgId, id);
    assertFree(id, before);
    const facts = customFacts(input, before);
    if (routing) checkRouting(tx, actor.orgId, canonicalId(id), routing);
    saveModelSettings(tx, { orgId: actor.orgId, modelId: id }, { source: "custom", ...facts }, now());
    append(tx, actor, {
      action: "model.added",
      resource: `model:${id}`,
      details: { model: id, provider: facts.providerType ?? "alias" },
    });
    const settings = findSettings(tx, actor.orgId, id);
    return settings.provider === null
      ? settings
      : {
          ...settings,
          maxTokens: settings.maxTokens ?? DEFAULT_CONTEXT_TOKENS,
          cost: settings.cost ?? { input: 0, output: 0 },
        };
  });
}

function checkRouting(source: Db, orgId: string, id: string, routing: ModelRouting): void {
  if (routing.fallbacks.some((fallback) => canonicalId(fallback) === id)) {
    const message = "A model can't be its own fallback";
    throw new AppError("invalid", `${message}.`, { fields: { "routing.fallbacks": [message] } });
  }
  if (routing.targets.some(({ providerId }) => !findProviderRow(source, orgId, providerId))) {
    const message = "Choose an existing provider";
    throw new AppError("invalid", `${message}.`, { fields: { "routing.targets": [message] } });
  }
}

/** Deleted groups may stay. */
function checkGroups(tx: Db, orgId: string, before: ModelSettings, { groups }: ModelPatch): void {
  const added = groups?.filter((id) => !before.groups?.includes(id)) ?? [];
  if (added.every((id) => isGroup(tx, orgId, id))) return;
  const message = "Choose groups of this organization only";
  throw new AppError("invalid", `${message}.`, { fields: { groups: [message] } });
}

function toChange({ cost, ...rest }: ModelPatch): Facts {
  const defined = Object.entries(rest).filter(([, value]) => value !== undefined);
  const price = PRICES.map(([name, column]) => [column, cost?.[name] ?? null]);
  return Object.fromEntries([...defined, ...(cost === undefined ? [] : price)]);
}

/** Applies to all providers; null resets a field. @throws AppError `not_found`, `invalid` */
export function saveModel(actor: Actor, modelId: string, patch: ModelPatch): ModelSettings {
  authorise(actor, "providers.manage");
  const id = requireModel(actor, modelId);
  return transaction((tx) => {
    if (patch.routing) checkRouting(tx, actor.orgId, id, patch.routing);
    const before = findSettings(tx, actor.orgId, id);
    checkGroups(tx, actor.orgId, before, patch);
    saveModelSettings(tx, { orgId: actor.orgId, modelId: id }, toChange(patch), now());
    append(tx, actor, {
      action: "model.updated",
      resource: `model:${id}`,
      details: { model: id },
      ...changesOf(ModelPatch.shape, before, patch),
    });
    return findSettings(tx, actor.orgId, id);
  });
}

/** The id's row, else its canonical one's. */
function findRemovable(source: Db, orgId: string, modelId: string): string | undefined {
  if (findModelSettings(source, orgId, modelId)) return modelId;
  const id = canonicalId(modelId);
  // Settings of a listed model aren't removed.
  return isAdded(source, orgId, id) ? id : undefined;
}

export function removeModel(actor: Actor, modelId: string): void {
  authorise(actor, "providers.manage");
  transaction((tx) => {
    const id = findRemovable(tx, actor.orgId, modelId);
    if (id === undefined) throw new AppError("not_found", "Model not found. It may have been removed.");
    deleteModelSettings(tx, actor.orgId, id);
    append(tx, actor, { action: "model.removed", resource: `model:${modelId}`, details: { model: modelId } });
  });
}

export function readModelSettings(actor: Actor, modelId: string): ModelSettings {
  authorise(actor, "providers.manage");
  const id = requireModel(actor, modelId);
  return findSettings(db(), actor.orgId, id);
}

export function readRoutingSettings(actor: Actor): RoutingSettings {
  authorise(actor, "providers.manage");
  return readSettings(actor.orgId, "routing");
}

export function readRoutingForm(actor: Actor): RoutingSettings & { version: number } {
  authorise(actor, "providers.manage");
  const { values, version } = readGroupState(actor.orgId, "routing");
  return { ...values, version };
}

/**
 * @param version the version that the form was loaded with
 * @throws AppError as `updateSettings`
 */
export function saveRouting(actor: Actor, input: RoutingInput, version?: number): RoutingSettings {
  return updateSettings(actor, "routing", input, version).values;
}
