import { type Db, db } from "~/core/db.server";
import { findProviderRow, findProviderStamp } from "./models.repo.server";
import type { ListedModel } from "./models.schema";
import { listedModels } from "./serving.server";

interface Remembered {
  /** When the provider's row was last changed. */
  stamp: string;
  models: Map<string, ListedModel>;
}

// By connection, so that a test's next database starts afresh.
const memory = new WeakMap<Db, Map<string, Remembered>>();

/**
 * What a provider's own list tells of one model. A hub's list holds hundreds of models and this is asked for every
 * call, so that the parsed list is kept until the row changes.
 */
export function listedModel(orgId: string, providerId: string, modelId: string): ListedModel | undefined {
  const source = db();
  const stamp = findProviderStamp(source, orgId, providerId);
  if (stamp === undefined) return undefined;
  const lists = memory.get(source) ?? new Map<string, Remembered>();
  memory.set(source, lists);
  const key = `${orgId}\n${providerId}`;
  const kept = lists.get(key);
  if (kept?.stamp === stamp) return kept.models.get(modelId);
  const row = findProviderRow(source, orgId, providerId);
  const models = new Map((row ? listedModels(row) : []).map((model) => [model.id, model]));
  lists.set(key, { stamp, models });
  return models.get(modelId);
}
