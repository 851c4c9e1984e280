import { cachedByConfig } from "~/core/config-cache.server";
import { db } from "~/core/db.server";
import { isEmbeddingId } from "./model-families.server";
import { listAddedModels, type ModelSettingsRow } from "./model-settings.repo.server";
import { listProviderRows, type ProviderRow } from "./models.repo.server";
import { ListedModel, ModelRouting, type ProviderConfig } from "./models.schema";
import { readConfig } from "./provider-call.server";
import { findProviderType } from "./providers/index.server";
import type { ProviderType } from "./providers/provider-type";

export interface ProviderEntry {
  row: ProviderRow;
  type: ProviderType;
  config: ProviderConfig;
}

/** The last list; older versions stored bare ids. */
export function listedModels(row: Pick<ProviderRow, "models">): ListedModel[] {
  return row.models.flatMap((item) => {
    const parsed = ListedModel.safeParse(typeof item === "string" ? { id: item } : item);
    return parsed.success ? [parsed.data] : [];
  });
}

// Indexed: lists have hundreds of models, and every call needs one.
const lists = cachedByConfig(["models"], (orgId) => {
  const byProvider = new Map<string, ReadonlyMap<string, ListedModel>>();
  for (const row of listProviderRows(db(), orgId)) {
    byProvider.set(row.id, new Map(listedModels(row).map((model) => [model.id, model])));
  }
  return byProvider;
});

/** A model's data from a provider's own list. */
export function upstreamModel(orgId: string, providerId: string, modelId: string): ListedModel | undefined {
  return lists(orgId).get(providerId)?.get(modelId);
}

/** By priority. */
export function enabledProviders(orgId: string): ProviderEntry[] {
  return listProviderRows(db(), orgId).flatMap((row) => {
    const type = row.enabled ? findProviderType(row.type) : undefined;
    return type ? [{ row, type, config: readConfig(row) }] : [];
  });
}

export function addedModel(row: ModelSettingsRow): ListedModel {
  const { modelId: id, name, description, maxTokens, capabilities } = row;
  const facts = { id, name, description, maxTokens, capabilities };
  const present = Object.entries(facts).filter(([, value]) => value !== null);
  const parsed = ListedModel.safeParse(Object.fromEntries(present));
  return parsed.success ? parsed.data : { id };
}

/** True if only the selected providers serve it, regardless of type. */
function hasExplicitTargets({ routing }: ModelSettingsRow): boolean {
  const parsed = ModelRouting.safeParse(routing ?? {});
  return parsed.success && parsed.data.targets.length > 0;
}

/** Manually entered ids, added models of the type, then the listed ones, deduplicated. */
export function modelsOf({ row, config }: Pick<ProviderEntry, "row" | "config">): ListedModel[] {
  const models = new Map<string, ListedModel>();
  for (const id of config.models ?? []) models.set(id, { id });
  for (const added of listAddedModels(db(), row.orgId, row.type)) {
    if (!hasExplicitTargets(added)) models.set(added.modelId, addedModel(added));
  }
  for (const model of listedModels(row)) models.set(model.id, { ...models.get(model.id), ...model });
  return [...models.values()].map((model) => ({
    ...model,
    kind: model.kind ?? (isEmbeddingId(model.id) ? "embedding" : "chat"),
  }));
}

/** Vendor prefixes that hubs add to ids. */
const VENDOR_PREFIX = /^(?:openai|anthropic|google)\/(?=[a-z])/;

/**
 * One id across providers: `openai/gpt-4o` is `gpt-4o`, `anthropic/claude-sonnet-4.5` is `claude-sonnet-4-5`. Others
 * are unchanged.
 */
export function canonicalId(id: string): string {
  const bare = id.replace(VENDOR_PREFIX, "");
  return bare !== id && bare.startsWith("claude-") ? bare.replaceAll(".", "-") : bare;
}
