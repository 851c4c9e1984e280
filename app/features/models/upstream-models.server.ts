import { cachedByConfig } from "~/core/config-cache.server";
import { db } from "~/core/db.server";
import { listProviderRows } from "./models.repo.server";
import type { ListedModel } from "./models.schema";
import { listedModels } from "./serving.server";

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
